/* All ways to split the observations into two groups of the sizes they have; this rank looks at a part of
 * them. */
#ifndef SPLIT_H
#define SPLIT_H

#include <stdint.h>

#include "sample.h"

/* Consecutive splits. In a split, bit i is set if observation i is in the first group; they ascend. */
struct splits {
    uint64_t from;
    int64_t count;
};

/* How many splits there are in all. */
int64_t splits_total(const struct sample *sample);

/* The splits of one of SIZE ranks, equally many for each but for one. */
struct splits splits_share(const struct sample *sample, int rank, int size);

/* The split as it was observed, and the bits of all observations. */
uint64_t split_observed(const struct sample *sample);
uint64_t split_everybody(const struct sample *sample);

/* Weighted sums over a group: of 1, and of the scores to the first, second and third power. */
struct moments {
    int64_t weight, linear, square, cube;
};

/* The moments of one variable over the observations whose bits are set. */
struct moments split_moments(const struct sample *sample, int variable, uint64_t split);

/* The moments of every single observation, from which those of all groups are added up. */
void observation_moments(const struct sample *sample, struct moments moments[VARIABLES][MOST_OBSERVATIONS]);

static inline struct moments moments_plus(struct moments a, const struct moments *b) {
    return (struct moments){a.weight + b->weight, a.linear + b->linear, a.square + b->square,
                            a.cube + b->cube};
}

static inline struct moments moments_minus(struct moments a, const struct moments *b) {
    return (struct moments){a.weight - b->weight, a.linear - b->linear, a.square - b->square,
                            a.cube - b->cube};
}

/* The next larger number with as many bits set (Gosper). */
static inline uint64_t split_next(uint64_t split) {
    uint64_t lowest = split & -split, ripple = split + lowest;
    return ripple | ((split ^ ripple) >> 2) >> __builtin_ctzll(split);
}

/* The observation of the lowest bit. */
static inline int split_lowest(uint64_t split) {
    return __builtin_ctzll(split);
}

#endif
