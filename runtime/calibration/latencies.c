#include "latencies.h"

#include <stddef.h>
#include <stdio.h>

/* Number of elements in the loop that is one repetition: 4 KiB in double precision. */
enum { LENGTH = 512 };

enum { PRODUCTS, QUOTIENTS, CHAINED_PRODUCTS, CHAINED_QUOTIENTS, DENORMAL_PRODUCTS, PREDICTED, MISPREDICTED };

static double usual[LENGTH], denormal[LENGTH], results[LENGTH];
static volatile double factor = 0.75;

static void multiply(void *state, uint64_t times) {
    const double *x = state, by = factor;
    for (uint64_t t = 0; t < times; t++) {
        for (size_t i = 0; i < LENGTH; i++)
            results[i] = x[i] * by;
        __asm__ volatile("" : : "r"(results) : "memory"); /* the compiler must keep the loop */
    }
}

static void divide(void *state, uint64_t times) {
    const double *x = state, by = factor;
    for (uint64_t t = 0; t < times; t++) {
        for (size_t i = 0; i < LENGTH; i++)
            results[i] = x[i] / by;
        __asm__ volatile("" : : "r"(results) : "memory"); /* the compiler must keep the loop */
    }
}

/* Multiplies alternately by a factor and by its reciprocal, so that the values stay near 1. */
static void multiply_in_chain(void *state, uint64_t times) {
    const double by[2] = {factor, 1 / factor};
    double value = 1;
    (void)state;
    for (uint64_t t = 0; t < times; t++)
        for (size_t i = 0; i < LENGTH; i++)
            value *= by[i % 2];
    aa_result = value;
}

static void divide_in_chain(void *state, uint64_t times) {
    const double by[2] = {factor, 1 / factor};
    double value = 1;
    (void)state;
    for (uint64_t t = 0; t < times; t++)
        for (size_t i = 0; i < LENGTH; i++)
            value /= by[i % 2];
    aa_result = value;
}

/* Branches on one bit of a pseudorandom number (Marsaglia, Xorshift RNGs, 2003). With a mask of 0, all
 * branches go in the same direction. */
static void branch(void *state, uint64_t times) {
    uint64_t x = 88172645463325252ull, mask = *(const uint64_t *)state, taken = 0;
    for (uint64_t t = 0; t < times; t++)
        for (size_t i = 0; i < LENGTH; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            if (x & mask)
                __asm__ volatile("" : "+r"(taken)); /* prevents a conditional move */
        }
    aa_result = (double)(x + taken);
}

void aa_latencies(struct aa_work works[AA_LATENCIES]) {
    static uint64_t none = 0, one = 1;
    const struct aa_work loops[AA_LATENCIES] = {
        [PRODUCTS] = {.run = multiply, .state = usual},
        [QUOTIENTS] = {.run = divide, .state = usual},
        [CHAINED_PRODUCTS] = {.run = multiply_in_chain},
        [CHAINED_QUOTIENTS] = {.run = divide_in_chain},
        [DENORMAL_PRODUCTS] = {.run = multiply, .state = denormal},
        [PREDICTED] = {.run = branch, .state = &none},
        [MISPREDICTED] = {.run = branch, .state = &one},
    };
    for (size_t i = 0; i < LENGTH; i++) {
        usual[i] = 1 + (double)i / LENGTH;
        denormal[i] = 1e-310 * usual[i];
    }
    for (int i = 0; i < AA_LATENCIES; i++) {
        works[i] = loops[i];
        works[i].clock = CLOCK_THREAD_CPUTIME_ID;
    }
}

static void print_price(const char *name, double more, double less, double number) {
    if (more > less)
        printf("price %s %.4g\n", name, (more - less) / number);
}

void aa_print_latencies(const struct aa_work works[AA_LATENCIES]) {
    double products = works[PRODUCTS].seconds;
    print_price("division_independent", works[QUOTIENTS].seconds, products, LENGTH);
    print_price("division_dependent", works[CHAINED_QUOTIENTS].seconds, works[CHAINED_PRODUCTS].seconds,
                LENGTH);
    print_price("denormal", works[DENORMAL_PRODUCTS].seconds, products, LENGTH);
    print_price("branch_miss", works[MISPREDICTED].seconds, works[PREDICTED].seconds,
                LENGTH / 2); /* half of the branches are mispredicted */
}
