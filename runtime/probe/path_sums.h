/* Records of the critical path in the shard, and their sums: of the path, and of waiting. */
#ifndef AA_PATH_SUMS_H
#define AA_PATH_SUMS_H

#include "self.h"
#include "shard.h"

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

extern struct aa_path_sums aa_path_totals, aa_path_delays;

/* While they are locked: to the sum of the entry's place, which is made if need be. */
void aa_path_add_to(struct aa_path_sums *sums, const struct aa_path_entry *entry);

struct aa_section aa_path_lock_sums(void);
void aa_path_unlock_sums(struct aa_section section);

#endif
