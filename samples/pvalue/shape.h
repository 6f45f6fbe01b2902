/* The first exact test: whether the groups differ in spread or skewness. shape_plain.c and shape_lean.c do
   the same in two ways; the Makefile links one of them. */
#ifndef SHAPE_H
#define SHAPE_H

#include "sample.h"
#include "split.h"

/* Of a split, its two statistics; of many splits, how many are at least as extreme as the one observed. */
struct shape {
    int64_t spread, skewness;
};

/* Adds the statistics of one variable: the weighted variance of the first group's scores times the square of
   its weight, and their third central moment times the cube of the weight. */
static inline void shape_add(struct shape *shape, const struct moments *group) {
    int64_t mean = group->linear * group->linear;
    shape->spread += group->weight * group->square - mean;
    shape->skewness += group->weight * group->weight * group->cube -
                       3 * group->weight * group->linear * group->square + 2 * group->linear * mean;
}

/* The statistics of the split as it was observed. */
struct shape shape_observed(const struct sample *sample);

/* Counts the extreme ones among some splits. */
struct shape shape_test(const struct sample *sample, struct splits splits);

#endif
