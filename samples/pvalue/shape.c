#include "shape.h"

struct shape shape_observed(const struct sample *sample) {
    struct shape observed = {0};
    for (int v = 0; v < VARIABLES; v++) {
        struct moments group = split_moments(sample, v, split_observed(sample));
        shape_add(&observed, &group);
    }
    return observed;
}
