/* Lean: products that all splits have in common are computed once. */
#include "shape.h"

struct shape shape_test(const struct sample *sample, struct splits splits) {
    struct shape observed = shape_observed(sample), extreme = {0};
    struct moments terms[VARIABLES][MOST_OBSERVATIONS];
    observation_moments(sample, terms);
    uint64_t split = splits.from;
    /* Region 3 */
    for (int64_t k = 0; k < splits.count; k++) {
        struct shape shape = {0};
        for (int v = 0; v < VARIABLES; v++) {
            struct moments sums = {0};
            for (uint64_t rest = split; rest != 0; rest &= rest - 1) {
                sums = moments_plus(sums, &terms[v][split_lowest(rest)]);
            }
            shape_add(&shape, &sums);
        }
        extreme.spread += shape.spread >= observed.spread;
        extreme.skewness += shape.skewness >= observed.skewness;
        split = split_next(split);
    }
    return extreme;
}
