#include "location.h"

double location_observed(const struct sample *sample) {
    double statistic = 0;
    for (int v = 0; v < VARIABLES; v++) {
        uint64_t split = split_observed(sample);
        struct moments first = split_moments(sample, v, split);
        struct moments second = split_moments(sample, v, split_everybody(sample) ^ split);
        statistic += studentised(&first, &second);
    }
    return statistic;
}
