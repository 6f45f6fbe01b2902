/*
 * Finds the first of the processes that a launcher starts; only this process measures. If the launcher does
 * not show which process is the first, all processes measure.
 */
#ifndef AA_FIRST_H
#define AA_FIRST_H

#include <stdbool.h>

bool aa_is_first(void);

#endif
