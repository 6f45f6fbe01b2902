/* The regions of a process, by their text and by number. */
#ifndef AA_REGION_H
#define AA_REGION_H

#include "shard.h"

/* The region with this text, made if need be; null if there is no more memory. The caller holds the shard's
 * lock. */
struct aa_region *aa_region_intern(const char *descriptor);

/* The region with this number; without the lock, where a node of this thread has it. */
struct aa_region *aa_region_at(uint32_t id);

/* In the child of a fork: they are the parent's. */
void aa_region_forget(void);

#endif
