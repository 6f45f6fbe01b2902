/* The threads of a process, and the tree that each of them writes to. */
#ifndef AA_THREAD_H
#define AA_THREAD_H

#include "objects.h"
#include "shard.h"

#define AA_ANY_TREE UINT32_MAX

/*
 * Give the calling thread a tree, that with this number if it is free, so that each thread of a team finds
 * its own in every run; null if it gets none.
 */
struct aa_thread *aa_thread_attach(uint32_t number);

/* Record the calling thread no longer. */
void aa_thread_stop(void);

/* No thread finds a region by a key in this memory any more. */
void aa_thread_forget_keys(struct aa_span span);

#endif
