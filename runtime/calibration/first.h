/*
 * Finds the first of the processes that a launcher starts, the only one that measures. If the launcher does
 * not show which one is the first, all measure.
 */
#ifndef AA_FIRST_H
#define AA_FIRST_H

#include <stdbool.h>

bool aa_is_first(void);

#endif
