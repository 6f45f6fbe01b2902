/*
 * Loops that a counting run slows down by different factors. Prints a line "NAME NANOSECONDS" for each: its
 * CPU time, without the program's start-up.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LARGE (8u << 20) /* doubles in an array: 64 MiB, beyond any cache */
#define SMALL 300u       /* rows of a matrix */

static double *a, *b, *c;
static uint32_t *next;
static volatile double kept;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void integer(void) {
    uint64_t x = 88172645463325252u, sum = 0;
    for (int i = 0; i < 30000000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += x % 16;
    }
    kept = (double)sum;
}

static void triad(void) {
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < LARGE; i++)
            a[i] = b[i] + 3.0 * c[i];
}

static void stride(void) {
    double sum = 0;
    for (uint32_t start = 0; start < 32; start++)
        for (uint32_t i = start; i < LARGE; i += 32)
            sum += a[i];
    kept = sum;
}

static void chase(void) {
    uint32_t at = 0;
    for (int i = 0; i < 2000000; i++)
        at = next[at];
    kept = at;
}

static void product(void) {
    for (uint32_t i = 0; i < SMALL; i++)
        for (uint32_t j = 0; j < SMALL; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < SMALL; k++)
                sum += b[i * SMALL + k] * c[k * SMALL + j];
            a[i * SMALL + j] = sum;
        }
}

/* One cycle through all elements, in an order that no prefetcher can predict. */
static void shuffle(void) {
    uint64_t x = 88172645463325252u;
    for (uint32_t i = 0; i < LARGE; i++)
        next[i] = i;
    for (uint32_t i = LARGE - 1; i; i--) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint32_t j = (uint32_t)(x >> 33) % i, kept_next = next[i];
        next[i] = next[j];
        next[j] = kept_next;
    }
}

int main(void) {
    static const struct {
        const char *name;
        void (*run)(void);
    } loops[] = {
        {"integer", integer}, {"triad", triad}, {"stride", stride}, {"chase", chase}, {"product", product}};
    a = malloc(LARGE * sizeof *a), b = malloc(LARGE * sizeof *b), c = malloc(LARGE * sizeof *c);
    next = malloc(LARGE * sizeof *next);
    if (!a || !b || !c || !next)
        return 1;
    for (uint32_t i = 0; i < LARGE; i++)
        a[i] = b[i] = c[i] = i;
    shuffle();
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        uint64_t start = now();
        loops[i].run();
        printf("%s %llu\n", loops[i].name, (unsigned long long)(now() - start));
    }
    return 0;
}
