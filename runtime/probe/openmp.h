/* The OpenMP library of the program. */
#ifndef AA_OPENMP_H
#define AA_OPENMP_H

#include <stdbool.h>

/* It tells of itself what happens (openmp_tool.c), so that its functions need not be wrapped. */
extern bool aa_openmp_tells;

#endif
