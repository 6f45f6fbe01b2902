// Loops whose iterations threads fetch on demand: short and long ones.
#include <math.h>
#include <stdlib.h>

double relax(double *x, int n);
double pull(double r);

void long_iterations(double *x, const double *y, int n, int m) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            x[i] += y[k] * k;
}

void unknown_calls(double *x, int n) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++)
        x[i] = pull(x[i]);
}

void few_iterations(double *x) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 64; i++)
        x[i] *= 2;
}

void until_small(double *x, int n) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) {
        while (x[i] > 1)
            x[i] /= 2;
    }
}

void in_pieces(double *x, int n) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i] + 1;
}

void tasks_of_blocks(double **block, int n, int size) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int b = 0; b < n; b++)
        relax(block[b], size);
}

void ordered_output(double *x, double *y, int n) {
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < n; i++) {
        x[i] += 1;
#pragma omp ordered
        y[0] += x[i];
    }
}

void sorted_parts(double **part, int n, int size, int (*order)(const void *, const void *)) {
#pragma omp parallel for schedule(dynamic)
    for (int p = 0; p < n; p++)
        qsort(part[p], size, sizeof **part, order);
}

void roots_and_powers(double *x, int n) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++)
        x[i] = exp(sin(x[i]) * log(x[i])) + atan2(x[i], 2);
}

// Faults.

void scaled(double *x, int n) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) //= chunks
        x[i] *= 2;
}

void added(double *x, const double *y, double a, int n) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < n; i++) //= chunks
        x[i] += a * y[i];
}

void clipped(double *x, int n) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < n; i++) { //= chunks
            if (x[i] > 1)
                x[i] = 1;
        }
    }
}

void moved(double *x, double *v, const double *f, double dt, int n) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) { //= chunks
        v[i] += dt * f[i];
        x[i] += dt * v[i];
    }
}

double summed(const double *x, int n) {
    double sum = 0;
#pragma omp parallel for schedule(monotonic:dynamic) reduction(+ : sum)
    for (int i = 0; i < n; i++) //= chunks
        sum += x[i] * x[i];
    return sum;
}

void differences(double *d, const double *x, int n) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 1; i < n - 1; i++) //= chunks
        d[i] = x[i - 1] - 2 * x[i] + x[i + 1];
}
