/* The second exact test: whether the groups differ in location. location_plain.c and location_lean.c do the
   same in two ways; the Makefile links one of them. */
#ifndef LOCATION_H
#define LOCATION_H

#include "sample.h"
#include "split.h"

/* The squared difference of two groups' means over the sum of the variances of these means. */
static inline double studentised(const struct moments *a, const struct moments *b) {
    double difference = (double)a->linear / a->weight - (double)b->linear / b->weight;
    double square_a = a->square - (double)a->linear * a->linear / a->weight;
    double square_b = b->square - (double)b->linear * b->linear / b->weight;
    return difference * difference / (square_a / a->weight / a->weight + square_b / b->weight / b->weight);
}

/* The statistic of the split as it was observed: the sum over the variables. */
double location_observed(const struct sample *sample);

/* How many of all splits are at least as extreme as the one observed. All ranks call it, each with its
 * splits. */
int64_t location_test(const struct sample *sample, struct splits splits);

#endif
