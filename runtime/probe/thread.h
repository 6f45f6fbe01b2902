/* The threads of a process, and the tree that each of them writes to. */
#ifndef AA_THREAD_H
#define AA_THREAD_H

#include "shard.h"

#define AA_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/* Keep the compiler from moving stores, for signal handlers on the same thread. */
#define aa_in_order() atomic_signal_fence(memory_order_seq_cst)

/* This thread's tree; null while it has none. */
extern _Thread_local struct aa_thread *aa_thread_self AA_INITIAL_EXEC;

/* The thread is in the library's slow path, which a signal handler must not enter anew; or is never recorded.
 */
extern _Thread_local bool aa_thread_closed AA_INITIAL_EXEC;

/* Where the thread that created this one stood; null if that is not known. */
extern _Thread_local const struct aa_node *aa_thread_birth AA_INITIAL_EXEC;

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
