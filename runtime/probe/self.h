/* The calling thread: its tree, and whether it is in the library's slow path. */
#ifndef AA_SELF_H
#define AA_SELF_H

#include <errno.h>

#include "shard.h"

#define AA_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/* Prevents the compiler from reordering stores, for signal handlers on the same thread. */
#define aa_in_order() atomic_signal_fence(memory_order_seq_cst)

/* This thread's tree; null if it has none. */
extern _Thread_local struct aa_thread *aa_thread_self AA_INITIAL_EXEC;

/*
 * This thread's tree for the fast paths, never null: a thread without a tree has an empty tree, in which no
 * region is open and every entry takes the slow path.
 */
extern _Thread_local struct aa_thread *aa_thread_probed AA_INITIAL_EXEC;

/* Sets both trees above for the calling thread. thread: null if it no longer has a tree. */
void aa_thread_become(struct aa_thread *thread);

/*
 * whether this thread is in the slow path, which its signal handlers must not enter, or is never to be
 * recorded
 */
extern _Thread_local bool aa_thread_closed AA_INITIAL_EXEC;

/*
 * A section that signal handlers on the same thread must not enter, because they would wait for a lock that
 * the thread holds, or find an incomplete table. It preserves errno. Sections may be nested. Check
 * aa_thread_closed before a section, because the caller may be a handler.
 */
struct aa_section {
    bool was_closed;
    int error;
};

static inline struct aa_section aa_section_begin(void) {
    struct aa_section section = {aa_thread_closed, errno};
    aa_thread_closed = true;
    aa_in_order();
    return section;
}

static inline void aa_section_end(struct aa_section section) {
    aa_in_order();
    aa_thread_closed = section.was_closed;
    errno = section.error;
}

/* the node where another thread created this one; null if unknown */
extern _Thread_local const struct aa_node *aa_thread_birth AA_INITIAL_EXEC;

#endif
