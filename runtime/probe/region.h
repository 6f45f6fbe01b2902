/* The regions of a process, by their text and by number. */
#ifndef AA_REGION_H
#define AA_REGION_H

#include "shard.h"

/*
 * Returns the region with this text, created if necessary; null without memory. The caller holds the
 * shard's lock.
 */
struct aa_region *aa_region_intern(const char *descriptor);

/* Returns the region with this number; needs no lock if a node of this thread refers to it. */
struct aa_region *aa_region_at(uint32_t id);

/* In the child of a fork: the regions are the parent's. */
void aa_region_forget(void);

#endif
