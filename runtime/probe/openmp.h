/* The program's OpenMP library. */
#ifndef AA_OPENMP_H
#define AA_OPENMP_H

#include "self.h"

#include <stdbool.h>

/* Whether the library reports its own events (openmp_tool.c), so that its functions need not be wrapped. */
extern bool aa_openmp_tells;

/*
 * Whether this thread only tests a lock. Some versions of the library report such a test as waiting for the
 * lock.
 */
extern _Thread_local bool aa_openmp_tries AA_INITIAL_EXEC;

#endif
