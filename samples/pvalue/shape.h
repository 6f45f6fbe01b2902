/* The first exact test: whether the groups differ in spread or skewness. It has two variants, shape_plain.c
   and shape_lean.c. The Makefile links one of them. */
#ifndef SHAPE_H
#define SHAPE_H

#include "sample.h"
#include "split.h"

/* For one split: its two statistics. For many: how many are at least as extreme as the observed one. */
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

/* Returns the statistics of the observed split. */
struct shape shape_observed(const struct sample *sample);

/* Counts the splits that are at least as extreme as the observed one, for each statistic. */
struct shape shape_test(const struct sample *sample, struct splits splits);

#endif
