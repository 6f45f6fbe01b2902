/* The lock for chains, threads' work and all sums; and the cost of following the path. */
#ifndef AA_PATH_TURN_H
#define AA_PATH_TURN_H

#include "self.h"

struct aa_section aa_path_turn_begin(void);
void aa_path_turn_end(struct aa_section section);

/* Releases the lock if the calling thread holds it while a signal handler or a cancellation ends the thread.
 * Returns whether the thread held it; if so, the data that it was changing may be incomplete. */
bool aa_path_turn_give_up(void);

/* Releases the lock in the child of a fork, in which no other thread can hold it. */
void aa_path_turn_forget(void);

/* Returns the clock's ticks, minus the ticks for which the thread waited for the lock. */
uint64_t aa_path_turn_ticks(void);

/* The cost of following the path: ticks, and the number of steps, one per node or entry. */
struct aa_effort {
    _Atomic uint64_t ticks; /* changed only by the thread itself */
    uint64_t steps;
};

/* Adds the ticks since `since`, for this many steps. */
void aa_effort_add(struct aa_effort *effort, uint64_t since, uint32_t steps);

#endif
