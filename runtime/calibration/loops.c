#include "loops.h"

#include <stddef.h>

/* Number of elements in the loop that is one repetition: 4 KiB in double precision. */
enum { LENGTH = 512 };

static struct numbers {
    double x[LENGTH], y[LENGTH], factor;
    uint32_t words[LENGTH], sums[LENGTH];
} numbers;

static void add_products(void *state, uint64_t times) {
    struct numbers *n = state;
    for (uint64_t t = 0; t < times; t++) {
        for (size_t i = 0; i < LENGTH; i++)
            n->y[i] += n->factor * n->x[i];
        n->factor = -n->factor;
    }
}

static void evaluate(void *state, uint64_t times) {
    const struct numbers *n = state;
    double value = 0;
    for (uint64_t t = 0; t < times; t++)
        for (size_t i = 0; i < LENGTH; i++)
            value = value * n->factor + n->x[i];
    aa_result = value;
}

static void add_neighbours(void *state, uint64_t times) {
    struct numbers *n = state;
    for (uint64_t t = 0; t < times; t++)
        for (size_t i = 1; i < LENGTH - 1; i++)
            n->sums[i] = n->words[i - 1] + 2 * n->words[i] + n->words[i + 1] + (uint32_t)t;
}

static void hash(void *state, uint64_t times) {
    const struct numbers *n = state;
    uint32_t value = 1;
    for (uint64_t t = 0; t < times; t++)
        for (size_t i = 0; i < LENGTH; i++)
            value = (value ^ n->words[i]) * 16777619u;
    aa_result = value;
}

static void divide(void *state, uint64_t times) {
    const struct numbers *n = state;
    double value = 1;
    for (uint64_t t = 0; t < times; t++)
        for (size_t i = 0; i < LENGTH; i++)
            value = n->x[i] / (value + 1);
    aa_result = value;
}

/* known_from is the loop's number of instructions on x86-64, used if instructions are not counted. */
void aa_loops(struct aa_work works[AA_LOOPS]) {
    static const struct aa_work loops[AA_LOOPS] = {
        {.name = "add_products", .run = add_products, .known_from = 7 * LENGTH},
        {.name = "evaluate", .run = evaluate, .known_from = 5 * LENGTH},
        {.name = "add_neighbours", .run = add_neighbours, .known_from = 8 * LENGTH},
        {.name = "hash", .run = hash, .known_from = 5 * LENGTH},
        {.name = "divide", .run = divide, .known_from = 7 * LENGTH},
    };
    numbers.factor = 0.5;
    for (size_t i = 0; i < LENGTH; i++) {
        numbers.x[i] = 1 + (double)i / LENGTH;
        numbers.words[i] = (uint32_t)i * 2654435761u;
    }
    for (int i = 0; i < AA_LOOPS; i++) {
        works[i] = loops[i];
        works[i].clock = CLOCK_THREAD_CPUTIME_ID;
        works[i].state = &numbers;
    }
}
