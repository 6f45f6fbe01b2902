/* The data: observations of two groups, of several variables each, by their ranks among all observations. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>

enum { VARIABLES = 6, MOST_OBSERVATIONS = 40 };

struct sample {
    int first, count;                  /* observations of the first group, which come first, and of both */
    int64_t weight[MOST_OBSERVATIONS]; /* number of readings of which an observation is the mean */
    int64_t score[VARIABLES]
                 [MOST_OBSERVATIONS]; /* twice the rank, less its mean: an integer, ties included */
};

/* Returns observations of two groups; those of the second are somewhat larger and more spread. */
struct sample sample_make(int first, int second);

#endif
