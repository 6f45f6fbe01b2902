/* What is tested: observations of two groups, of several variables each, by the ranks they have among all. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>

enum { VARIABLES = 6, MOST_OBSERVATIONS = 40 };

struct sample {
    int first, count;                  /* observations of the first group, which come first, and of both */
    int64_t weight[MOST_OBSERVATIONS]; /* how many readings an observation is the mean of */
    int64_t score[VARIABLES]
                 [MOST_OBSERVATIONS]; /* twice the rank, less its mean: an integer, ties included */
};

/* Observations of two groups, those of the second somewhat larger and wider. */
struct sample sample_make(int first, int second);

#endif
