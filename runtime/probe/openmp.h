/* The OpenMP library of the program. */
#ifndef AA_OPENMP_H
#define AA_OPENMP_H

#include "self.h"

#include <stdbool.h>

/* The library reports its own events (openmp_tool.c), so its functions need not be wrapped. */
extern bool aa_openmp_tells;

/* This thread tries to take a lock; some versions report that as waiting for it. */
extern _Thread_local bool aa_openmp_tries AA_INITIAL_EXEC;

#endif
