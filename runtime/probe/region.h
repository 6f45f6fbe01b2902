/* The regions of a process, by text and by number. */
#ifndef AA_REGION_H
#define AA_REGION_H

#include "shard.h"

/*
 * Returns the region with this text, and appends it to the shard if it is new; null if there is no memory.
 * The caller holds the shard's lock.
 */
struct aa_region *aa_region_intern(const char *descriptor);

/* Returns the region with this number. Needs no lock if a node of the calling thread has this number. */
struct aa_region *aa_region_at(uint32_t id);

/* Forgets all regions in the child of a fork, because they are in the parent's shard. */
void aa_region_forget(void);

#endif
