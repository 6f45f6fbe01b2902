#ifndef WORK_H
#define WORK_H

#include <stdbool.h>

/* One step of each phase; all ranks call it together. STEP counts from 0 in the phase, STEPS is how many
 * there are. */

bool work_start(void);
void work_end(void);

void grow(int step, int steps);
void solve(int step, int steps);
void advance(int step, int steps);
void pack(int step, int steps);
void track(int step, int steps);

/* What was computed, so that nothing can be left out. */
double work_sum(void);

#endif
