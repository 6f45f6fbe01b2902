/* Detects forks by fork, which runs the handlers of pthread_atfork, and by _Fork, which does not. */
#ifndef AA_FORK_H
#define AA_FORK_H

/*
 * Calls `before`, unless it is null, in the parent before each fork, and `in_child` in each child. Does
 * nothing after AA_FORK_WATCHERS calls.
 */
#define AA_FORK_WATCHERS 4

void aa_fork_watch(void (*before)(void), void (*in_child)(void));

#endif
