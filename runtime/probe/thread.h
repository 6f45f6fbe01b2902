/* The threads of a process, and the tree that each of them writes to. */
#ifndef AA_THREAD_H
#define AA_THREAD_H

#include "shard.h"

#define AA_ANY_TREE UINT32_MAX

/*
 * Give the calling thread a tree, that with this number if it is free, so that each thread of a team finds
 * its own in every run; null if it gets none.
 */
struct aa_thread *aa_thread_attach(uint32_t number);

/* A fork: keep which regions are open, in which the child goes on; forget in the child all but these. */
void aa_thread_before_fork(void);
void aa_thread_in_child(void);

/* Record the calling thread no longer. */
void aa_thread_stop(void);

/* Twice the room for open regions; false if there is no more memory. */
bool aa_thread_deepen(struct aa_thread *thread);

#endif
