/* Forks of any kind: by fork, which runs the handlers of pthread_atfork, or by _Fork, which does not. */
#ifndef AA_FORK_H
#define AA_FORK_H

/*
 * before, if not null, is called before each fork, and in_child in each child; there are at most
 * AA_FORK_WATCHERS.
 */
#define AA_FORK_WATCHERS 3

void aa_fork_watch(void (*before)(void), void (*in_child)(void));

#endif
