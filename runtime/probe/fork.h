/* Forks, however they are made: by fork, which runs the handlers of pthread_atfork, or by _Fork, which does
 * not. */
#ifndef AA_FORK_H
#define AA_FORK_H

/* Called before each fork, or null, and called in each child; at most AA_FORK_WATCHERS of them. */
#define AA_FORK_WATCHERS 2

void aa_fork_watch(void (*before)(void), void (*in_child)(void));

#endif
