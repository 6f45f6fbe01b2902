/* All ways to split the observations into two groups of the observed sizes. Each rank examines a part of the
 * splits. */
#ifndef SPLIT_H
#define SPLIT_H

#include <stdint.h>

#include "sample.h"

/* Consecutive splits, in ascending order. Bit i of a split is set if observation i is in the first group. */
struct splits {
    uint64_t from;
    int64_t count;
};

/* Returns the number of all splits. */
int64_t splits_total(const struct sample *sample);

/* Returns the splits of one of SIZE ranks; the shares differ by at most one split. */
struct splits splits_share(const struct sample *sample, int rank, int size);

/* Return the observed split; and the bits of all observations. */
uint64_t split_observed(const struct sample *sample);
uint64_t split_everybody(const struct sample *sample);

/* Weighted sums over a group: of 1, and of the scores to the first, second and third power. */
struct moments {
    int64_t weight, linear, square, cube;
};

/* Returns the moments of one variable over the observations whose bits are set. */
struct moments split_moments(const struct sample *sample, int variable, uint64_t split);

/* Stores the moments of each single observation, from which the moments of all groups are added up. */
void observation_moments(const struct sample *sample, struct moments moments[VARIABLES][MOST_OBSERVATIONS]);

static inline struct moments moments_plus(struct moments a, const struct moments *b) {
    return (struct moments){a.weight + b->weight, a.linear + b->linear, a.square + b->square,
                            a.cube + b->cube};
}

static inline struct moments moments_minus(struct moments a, const struct moments *b) {
    return (struct moments){a.weight - b->weight, a.linear - b->linear, a.square - b->square,
                            a.cube - b->cube};
}

/* Returns the next larger number with as many bits set (Gosper). */
static inline uint64_t split_next(uint64_t split) {
    uint64_t lowest = split & -split, ripple = split + lowest;
    return ripple | ((split ^ ripple) >> 2) >> __builtin_ctzll(split);
}

/* Returns the observation of the lowest bit. */
static inline int split_lowest(uint64_t split) {
    return __builtin_ctzll(split);
}

#endif
