/* Contexts between which the program switches, each with its own stack. */
#ifndef AA_USER_CONTEXT_H
#define AA_USER_CONTEXT_H

#include "shard.h"

/*
 * Called when a thread leaves a region that is not open. Returns whether the thread has jumped back to its
 * own stack, where the region was open when the thread switched to its first context. If so, reopens the
 * regions that were open on this stack. The caller has booked the time up to now. key: the region's
 * descriptor.
 */
bool aa_user_context_jumped(struct aa_thread *thread, const char *key);

#endif
