/* The second exact test: whether the groups differ in location. It has two variants, location_plain.c and
   location_lean.c. The Makefile links one of them. */
#ifndef LOCATION_H
#define LOCATION_H

#include "sample.h"
#include "split.h"

/* Returns the squared difference of two groups' means, divided by the sum of the variances of these means. */
static inline double studentised(const struct moments *a, const struct moments *b) {
    double difference = (double)a->linear / a->weight - (double)b->linear / b->weight;
    double square_a = a->square - (double)a->linear * a->linear / a->weight;
    double square_b = b->square - (double)b->linear * b->linear / b->weight;
    return difference * difference / (square_a / a->weight / a->weight + square_b / b->weight / b->weight);
}

/* Returns the statistic of the observed split, summed over the variables. */
double location_observed(const struct sample *sample);

/* Returns how many of all splits are at least as extreme as the observed one. All ranks call this, each with
 * its own splits. */
int64_t location_test(const struct sample *sample, struct splits splits);

#endif
