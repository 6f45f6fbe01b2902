/* A chain of the critical path: its length, and the share of each node of each rank (path.h). */
#ifndef AA_PATH_CHAIN_H
#define AA_PATH_CHAIN_H

#include "shard.h"

/* Returns the size of a chain in a message, in bytes. */
static inline size_t aa_path_size(const struct aa_path *path) {
    return offsetof(struct aa_path, entries) + path->count * sizeof *path->entries;
}

void aa_chain_copy(struct aa_path *to, const struct aa_path *from);

/* Adds the work of a node of this process to the chain `to`. Has the type aa_work_told. */
void aa_chain_lengthen(void *to, uint32_t node, uint32_t what, uint64_t visits, double work);

/*
 * Starts a chain again from the length that all ranks have in common after a meeting, unless this was already
 * done. If the thread is ahead of this length, its chain keeps the lead, divided among the work since
 * `before`, or among all its work if there is none since then.
 */
void aa_chain_start_again(struct aa_path *path, const struct aa_path *before, double length);

extern const struct aa_path aa_chain_of_nothing;

#endif
