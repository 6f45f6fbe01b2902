/* Records of the critical path in the shard, and their sums: of the path, and of waiting. */
#ifndef AA_PATH_SUMS_H
#define AA_PATH_SUMS_H

#include "shard.h"

#define AA_PATH_NOBODY UINT32_MAX /* in place of a rank */

/* A new record; null if there are too many, or no memory. */
struct aa_path_record *aa_path_append(enum aa_path_kind kind);

/* Half of what there may be. */
bool aa_path_has_many_records(void);

struct aa_path_sums {
    enum aa_path_kind kind;
    struct aa_path_entry **slots; /* open addressing */
    uint32_t capacity, count;
    struct aa_path_record *latest;
};

extern struct aa_path_sums aa_path_delays;

/* By one thread at a time: to the sum of the entry's place, which is made if need be. */
void aa_path_add_to(struct aa_path_sums *sums, const struct aa_path_entry *entry);

/* The child of a fork has none. */
void aa_path_sums_forget(void);

/* A chain is part of the critical path. */
void aa_path_keep(const struct aa_path *path);

/* A thread whose chain is mine has waited at a node for the other, longer one: add to the delays whose fault
 * it is. */
void aa_path_blame(const struct aa_path *mine, const struct aa_path *other, uint32_t waiting,
                   bool by_message);

#endif
