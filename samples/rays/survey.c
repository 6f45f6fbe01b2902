#include "survey.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const double shallow_floor = 0.04 * MODEL_NZ;
static const double deep_floor = 0.88 * MODEL_NZ;

/* A uniform number in [0, 1), the same on every machine (Knuth's MMIX generator). */
static double random_next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

void model_build(struct model *model) {
    uint64_t state = 1;
    for (int x = 0; x < MODEL_NX; x++) {
        for (int z = 0; z < MODEL_NZ; z++) {
            double trend = 1.5 + 2.5 * z / MODEL_NZ;
            model->velocity[x][z] = trend * (0.9 + 0.2 * random_next(&state));
        }
    }
}

void model_smooth(struct model *model, int passes) {
    struct model *rough = allocate(1, sizeof *rough);
    for (int pass = 0; pass < passes; pass++) {
        memcpy(rough, model, sizeof *rough);
        for (int x = 1; x < MODEL_NX - 1; x++) {
            for (int z = 1; z < MODEL_NZ - 1; z++) {
                model->velocity[x][z] = 0.5 * rough->velocity[x][z] +
                                        0.125 * (rough->velocity[x - 1][z] + rough->velocity[x + 1][z] +
                                                 rough->velocity[x][z - 1] + rough->velocity[x][z + 1]);
            }
        }
    }
    free(rough);
}

void survey_plan(struct shot *shots, int count) {
    for (int i = 0; i < count; i++) {
        double along = (i + 0.5) / count;
        shots[i].x = (0.25 + 0.5 * along) * MODEL_NX;
        shots[i].floor = shallow_floor + along * (deep_floor - shallow_floor);
    }
}
