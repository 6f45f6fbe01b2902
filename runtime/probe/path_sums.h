/* Records of the critical path in the shard, and the sums that they contain, of work on the path and of
 * waiting. */
#ifndef AA_PATH_SUMS_H
#define AA_PATH_SUMS_H

#include "shard.h"

#define AA_PATH_NOBODY UINT32_MAX /* stands for no rank */

/* Appends a record. Returns null if there are too many records, or no memory. */
struct aa_path_record *aa_path_append(enum aa_path_kind kind);

/* Returns whether there are at least half as many records as a process may have. */
bool aa_path_has_many_records(void);

struct aa_path_sums {
    enum aa_path_kind kind;
    struct aa_path_entry **slots; /* open addressing */
    uint32_t capacity, count;
    struct aa_path_record *latest;
};

extern struct aa_path_sums aa_path_delays, aa_path_message_delays, aa_path_teams;

/* Adds an entry to the sum for its rank, node and place, which is created if necessary. Only one thread at a
 * time may call this. */
void aa_path_add_to(struct aa_path_sums *sums, const struct aa_path_entry *entry);

/* Forgets all sums in the child of a fork. */
void aa_path_sums_forget(void);

/* Adds a chain to the critical path. */
void aa_path_keep(const struct aa_path *path);

/* Called when a thread with the chain `mine` has waited at a node for the other, longer chain: adds the wait
 * to the delays of the call paths that caused it. */
void aa_path_blame(const struct aa_path *mine, const struct aa_path *other, uint32_t waiting,
                   bool by_message);

#endif
