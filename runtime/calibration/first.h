/*
 * A launcher may start several processes, of which only the first one works; if the launcher does not show
 * which that is, all do.
 */
#ifndef AA_FIRST_H
#define AA_FIRST_H

#include <stdbool.h>

bool aa_is_first(void);

#endif
