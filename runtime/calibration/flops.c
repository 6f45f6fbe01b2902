#include "flops.h"

#include <stddef.h>

/*
 * Enough independent chains to hide a latency of four or five cycles in two to four arithmetic units, but no
 * more than fit into 16 or 32 registers, two of which contain the factor and the summand.
 */
#if defined __AVX512F__
enum { BYTES = 64, CHAINS = 24 };
#elif defined __AVX__
enum { BYTES = 32, CHAINS = 12 };
#elif defined __x86_64__
enum { BYTES = 16, CHAINS = 12 };
#else
enum { BYTES = 16, CHAINS = 24 };
#endif

enum { LANES = BYTES / sizeof(double), IN_TURN = 2 * CHAINS * LANES };

typedef double vector __attribute__((vector_size(BYTES)));

static struct chain { double factor, summand; } chain = {0.999, 0.001};

static vector filled(double value) {
    vector all;
    for (size_t i = 0; i < LANES; i++)
        all[i] = value;
    return all;
}

static void multiply_and_add(void *state, uint64_t times) {
    const struct chain *each = state;
    vector factor = filled(each->factor), summand = filled(each->summand), chains[CHAINS];
    for (size_t i = 0; i < CHAINS; i++)
        chains[i] = filled((double)i);
    for (uint64_t t = 0; t < times; t += IN_TURN) {
#pragma GCC unroll 32
        for (size_t i = 0; i < CHAINS; i++)
            chains[i] = chains[i] * factor + summand;
    }
    double sum = 0;
    for (size_t i = 0; i < CHAINS; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            sum += chains[i][lane];
    aa_result = sum;
}

struct aa_work aa_flops(void) {
    return (struct aa_work){
        .name = "flop", .clock = CLOCK_THREAD_CPUTIME_ID, .run = multiply_and_add, .state = &chain};
}
