/* Plain: the sums are written as the formulas are. */
#include "shape.h"

#include <stdlib.h>

#include "memory.h"

struct shape shape_test(const struct sample *sample, struct splits splits) {
    struct shape observed = shape_observed(sample), extreme = {0};
    struct moments *group = allocate(1, sizeof *group);
    uint64_t split = splits.from;
    /* Region 3: weight * score three times for each observation. The compiler must not take them for one: for
       all it knows, the sums that are stored between them lie where the weights and scores do. */
    for (int64_t k = 0; k < splits.count; k++) {
        struct shape shape = {0};
        for (int v = 0; v < VARIABLES; v++) {
            const int64_t *weight = sample->weight, *score = sample->score[v];
            *group = (struct moments){0};
            for (uint64_t rest = split; rest != 0; rest &= rest - 1) {
                int i = split_lowest(rest);
                group->weight += weight[i];
                group->linear += weight[i] * score[i];
                group->square += weight[i] * score[i] * score[i];
                group->cube += weight[i] * score[i] * score[i] * score[i];
            }
            shape_add(&shape, group);
        }
        extreme.spread += shape.spread >= observed.spread;
        extreme.skewness += shape.skewness >= observed.skewness;
        split = split_next(split);
    }
    free(group);
    return extreme;
}
