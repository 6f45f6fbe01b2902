#include "sample.h"

enum { LEVELS = 1000, SHIFT = 250 };

/* The same on every machine (Knuth's MMIX generator). */
static int random_level(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)(*state >> 33) % LEVELS;
}

/* Ranks among all, tied observations sharing theirs. */
static void fill_scores(int64_t *score, const int *values, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            score[i] += (values[j] < values[i]) - (values[j] > values[i]);
        }
    }
}

struct sample sample_make(int first, int second) {
    struct sample sample = {.first = first, .count = first + second};
    uint64_t state = 1;
    for (int v = 0; v < VARIABLES; v++) {
        int values[MOST_OBSERVATIONS];
        for (int i = 0; i < sample.count; i++) {
            int level = random_level(&state);
            values[i] = i < first ? level : SHIFT + level + level / 20;
        }
        fill_scores(sample.score[v], values, sample.count);
    }
    for (int i = 0; i < sample.count; i++) {
        sample.weight[i] = 1 + random_level(&state) % 3;
    }
    return sample;
}
