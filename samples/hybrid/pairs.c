#include "pairs.h"

#include <math.h>

#define PRAGMA(text) _Pragma(#text)
#define FOR_ALL_THREADS(kind) PRAGMA(omp parallel for schedule(kind))

/* Each pair counts once, with the charge that comes first: the first charges have the most partners. */
double pairs_energy(const struct charge *charges, int count, int first, int stride, double *energies) {
    int own = (count - first + stride - 1) / stride;
    FOR_ALL_THREADS(SCHEDULE)
    for (int k = 0; k < own; k++) {
        const struct charge *one = &charges[first + k * stride], *end = charges + count;
        double energy = 0;
        for (const struct charge *other = one + 1; other < end; other++) {
            double x = one->x - other->x, y = one->y - other->y, z = one->z - other->z;
            energy += one->value * other->value / sqrt(x * x + y * y + z * z + 1e-6);
        }
        energies[k] = energy;
    }
    double sum = 0;
    for (int k = 0; k < own; k++) {
        sum += energies[k];
    }
    return sum;
}
