/* Lean: products that all splits have in common are computed once, and each rank counts its own splits. */
#include "location.h"

#include <mpi.h>

int64_t location_test(const struct sample *sample, struct splits splits) {
    double observed = location_observed(sample);
    struct moments terms[VARIABLES][MOST_OBSERVATIONS], all[VARIABLES];
    observation_moments(sample, terms);
    for (int v = 0; v < VARIABLES; v++) {
        all[v] = split_moments(sample, v, split_everybody(sample));
    }
    int64_t own = 0, extreme;
    uint64_t split = splits.from;
    /* Region 12: what is not in the first group is what is left of all. */
    for (int64_t k = 0; k < splits.count; k++) {
        double statistic = 0;
        for (int v = 0; v < VARIABLES; v++) {
            struct moments first = {0};
            for (uint64_t rest = split; rest != 0; rest &= rest - 1) {
                first = moments_plus(first, &terms[v][split_lowest(rest)]);
            }
            struct moments second = moments_minus(all[v], &first);
            statistic += studentised(&first, &second);
        }
        own += statistic >= observed;
        split = split_next(split);
    }
    MPI_Allreduce(&own, &extreme, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return extreme;
}
