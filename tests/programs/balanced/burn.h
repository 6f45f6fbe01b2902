/* Work that takes the same number of instructions on every rank and every machine. */
#ifndef BURN_H
#define BURN_H

#include <stdint.h>

/* Steps of a random number generator that can be neither skipped nor vectorised: 2 to 3 ms a million. It is
   no region of its own, so that the loop that calls it is what a test finds. */
__attribute__((no_instrument_function)) static inline uint64_t burn(uint64_t state, long steps) {
    for (long i = 0; i < steps; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        state ^= state >> 29;
    }
    return state;
}

#endif
