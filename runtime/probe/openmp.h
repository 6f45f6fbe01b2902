/* The OpenMP library of the program. */
#ifndef AA_OPENMP_H
#define AA_OPENMP_H

#include <stdbool.h>

/* The library reports its own events (openmp_tool.c), so its functions need not be wrapped. */
extern bool aa_openmp_tells;

#endif
