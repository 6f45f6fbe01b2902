/* The threads of a process, and the tree to which each of them writes. */
#ifndef AA_THREAD_H
#define AA_THREAD_H

#include "objects.h"
#include "shard.h"

#define AA_ANY_TREE UINT32_MAX

/*
 * Gives the calling thread a tree, the one with this number if it is free, so that each thread of a team
 * finds its own in every run; returns null if there is none.
 */
struct aa_thread *aa_thread_attach(uint32_t number);

/* Stops recording the calling thread. */
void aa_thread_stop(void);

/* Removes keys in this memory from all threads. */
void aa_thread_forget_keys(struct aa_span span);

#endif
