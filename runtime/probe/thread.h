/* The threads of a process, and the trees in which they are recorded. */
#ifndef AA_THREAD_H
#define AA_THREAD_H

#include "objects.h"
#include "shard.h"

#define AA_ANY_TREE UINT32_MAX

/*
 * Returns a tree for the calling thread: the tree with this number if it is free, so that each thread of a
 * team has the same tree in every run; any tree for AA_ANY_TREE. Returns null if there is none.
 */
struct aa_thread *aa_thread_attach(uint32_t number);

/* Stops recording the calling thread, because there is no memory for its frames. */
void aa_thread_stop(void);

/*
 * Removes the keys in this memory from the frames and edges of all threads, because their library is being
 * unloaded.
 */
void aa_thread_forget_keys(struct aa_span span);

#endif
