/* A chain of the critical path: its length, and the share of each node of each rank (path.h). */
#ifndef AA_PATH_CHAIN_H
#define AA_PATH_CHAIN_H

#include "shard.h"

/* Bytes of a chain that a message has to carry. */
static inline size_t aa_path_size(const struct aa_path *path) {
    return offsetof(struct aa_path, entries) + path->count * sizeof *path->entries;
}

void aa_chain_copy(struct aa_path *to, const struct aa_path *from);

/* By what a node of this process has worked. An aa_work_told. */
void aa_chain_lengthen(void *to, uint32_t node, uint32_t what, double work);

/* Start a chain again from a length that all have met at, unless it has. If its thread went on meanwhile and
 * is ahead of it, the chain keeps so much of what it has worked since it was as before; of all, if that is
 * nothing. */
void aa_chain_start_again(struct aa_path *path, const struct aa_path *before, double length);

extern const struct aa_path aa_chain_of_nothing;

#endif
