#ifndef WORK_H
#define WORK_H

#include <stdbool.h>

/* Execute one step of each phase; all ranks call them together. STEP counts from 0 in the phase, STEPS is the
 * number of steps in it. */

bool work_start(void);
void work_end(void);

void grow(int step, int steps);
void solve(int step, int steps);
void advance(int step, int steps);
void pack(int step, int steps);
void track(int step, int steps);

/* Returns the sum of all results, so that the compiler cannot leave anything out. */
double work_sum(void);

#endif
