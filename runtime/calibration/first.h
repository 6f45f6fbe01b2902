/*
 * A launcher may start several processes: the first of them works, and so do all where it does not say which
 * is which.
 */
#ifndef AA_FIRST_H
#define AA_FIRST_H

#include <stdbool.h>

bool aa_is_first(void);

#endif
