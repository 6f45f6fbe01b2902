/* One thread after the other: for chains, what threads work, and all sums; and what that takes. */
#ifndef AA_PATH_TURN_H
#define AA_PATH_TURN_H

#include "self.h"

struct aa_section aa_path_turn_begin(void);
void aa_path_turn_end(struct aa_section section);

/* The child of a fork, in which no other thread has its turn. */
void aa_path_turn_forget(void);

/* Ticks, but those that the thread waited for its turn. */
uint64_t aa_path_turn_ticks(void);

/* The cost of following: ticks, and the number of steps, one per node or entry. */
struct aa_effort {
    _Atomic uint64_t ticks; /* which the thread alone changes */
    uint64_t steps;
};

/* From such ticks on, in so many steps. */
void aa_effort_add(struct aa_effort *effort, uint64_t since, uint32_t steps);

#endif
