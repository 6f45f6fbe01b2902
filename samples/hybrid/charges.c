#include "charges.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* A number from 0 to 1: that of a linear congruential generator, by its high bits. */
static double next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

struct charge *charges_make(int count) {
    struct charge *charges = malloc((size_t)count * sizeof *charges);
    uint64_t state = 1;
    for (int i = 0; charges != NULL && i < count; i++) {
        charges[i].x = next(&state);
        charges[i].y = next(&state);
        charges[i].z = next(&state);
        charges[i].value = i % 2 ? 1 : -1;
    }
    return charges;
}

/* Each charge goes through a few swings of its own. */
void charges_drift(struct charge *charges, int count, int step) {
    for (int i = 0; i < count; i++) {
        double phase = 0.1 * step + i;
        for (int swing = 1; swing <= 40; swing++) {
            charges[i].x += 1e-4 * sin(phase * swing) / swing;
            charges[i].y += 1e-4 * cos(phase * swing) / swing;
            charges[i].z -= 1e-4 * sin(phase + swing) / swing;
        }
    }
}
