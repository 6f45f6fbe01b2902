#include "split.h"

static int64_t binomial(int n, int k) {
    int64_t ways = 1;
    for (int i = 1; i <= k; i++) {
        ways = ways * (n - k + i) / i;
    }
    return k <= n ? ways : 0;
}

int64_t splits_total(const struct sample *sample) {
    return binomial(sample->count, sample->first);
}

/* The split before which there are INDEX smaller ones: a number in the combinatorial number system. */
static uint64_t split_at(int members, int64_t index) {
    uint64_t split = 0;
    for (int k = members; k > 0; k--) {
        int highest = k - 1;
        while (binomial(highest + 1, k) <= index) {
            highest++;
        }
        split |= (uint64_t)1 << highest;
        index -= binomial(highest, k);
    }
    return split;
}

struct splits splits_share(const struct sample *sample, int rank, int size) {
    int64_t total = splits_total(sample), start = total * rank / size;
    return (struct splits){split_at(sample->first, start), total * (rank + 1) / size - start};
}

uint64_t split_observed(const struct sample *sample) {
    return ((uint64_t)1 << sample->first) - 1;
}

uint64_t split_everybody(const struct sample *sample) {
    return ((uint64_t)1 << sample->count) - 1;
}

struct moments split_moments(const struct sample *sample, int variable, uint64_t split) {
    struct moments group = {0};
    for (; split != 0; split &= split - 1) {
        int i = split_lowest(split);
        int64_t weight = sample->weight[i], score = sample->score[variable][i];
        group.weight += weight;
        group.linear += weight * score;
        group.square += weight * score * score;
        group.cube += weight * score * score * score;
    }
    return group;
}

void observation_moments(const struct sample *sample, struct moments moments[VARIABLES][MOST_OBSERVATIONS]) {
    for (int v = 0; v < VARIABLES; v++) {
        for (int i = 0; i < sample->count; i++) {
            moments[v][i] = split_moments(sample, v, (uint64_t)1 << i);
        }
    }
}
