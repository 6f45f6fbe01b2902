/*
 * Returns whether this is the first process that the launcher started. Only the first process measures; if
 * the launcher does not show which one it is, all processes measure.
 */
#ifndef AA_FIRST_H
#define AA_FIRST_H

#include <stdbool.h>

bool aa_is_first(void);

#endif
