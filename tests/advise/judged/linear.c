// Dense and sparse linear algebra.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#define N 800

void multiply_ikj(double (*restrict c)[N], const double (*restrict a)[N], const double (*restrict b)[N]) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}

void multiply_transposed(double (*restrict c)[N], const double (*restrict a)[N], const double (*restrict bt)[N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * bt[j][k];
            c[i][j] = sum;
        }
}

void multiply_in_blocks(double (*restrict c)[N], const double (*restrict a)[N], const double (*restrict b)[N]) {
    for (int ii = 0; ii < N; ii += 40)
        for (int kk = 0; kk < N; kk += 40)
            for (int jj = 0; jj < N; jj += 40)
                for (int i = ii; i < ii + 40; i++)
                    for (int j = jj; j < jj + 40; j++) {
                        double sum = 0;
                        for (int k = kk; k < kk + 40; k++)
                            sum += a[i][k] * b[k][j];
                        c[i][j] += sum;
                    }
}

void cholesky(double (*l)[N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double sum = l[i][j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
}

void eliminate(double (*a)[N], double *b) {
    for (int k = 0; k < N; k++) {
        int p = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(a[i][k]) > fabs(a[p][k]))
                p = i;
        for (int j = k; j < N; j++) {
            double t = a[k][j];
            a[k][j] = a[p][j];
            a[p][j] = t;
        }
        for (int i = k + 1; i < N; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < N; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
}

void column_norms_by_rows(double *restrict norm, const double (*restrict a)[N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            norm[j] += a[i][j] * a[i][j];
}

void trace(double *sum, const double (*a)[N]) {
    for (int i = 0; i < N; i++)
        *sum += a[i][i];
}

void small_blocks(double (*restrict y)[4], const double (*restrict a)[4][4], const double (*restrict x)[4], int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++)
                y[i][r] += a[i][r][c] * x[i][c];
}

void ell_rows(double *restrict y, const double *restrict v, int n, int width) {
    for (int k = 0; k < width; k++)
        for (int i = 0; i < n; i++)
            y[i] += v[k * n + i];
}

void band(double *restrict y, const double (*restrict a)[7], const double *restrict x, int n) {
    for (int i = 3; i < n - 3; i++)
        for (int d = 0; d < 7; d++)
            y[i] += a[i][d] * x[i + d - 3];
}

void row_sums(double *restrict sum, const double *restrict v, const int *restrict from, int n) {
    for (int i = 0; i < n; i++) //= division of work
        for (int k = from[i]; k < from[i + 1]; k++)
            sum[i] += v[k];
}

void conjugate_gradients(double *x, double *r, double *p, double *q, int n, int steps) {
    double rr = 0, pq = 0, all, rr_new;
    for (int t = 0; t < steps; t++) {
        pq = 0;
        for (int i = 0; i < n; i++)
            pq += p[i] * q[i];
        MPI_Allreduce(&pq, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double alpha = rr / all;
        rr_new = 0;
        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            rr_new += r[i] * r[i];
        }
        MPI_Allreduce(&rr_new, &rr, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

void power_iteration(double *v, double *w, int n) {
    double own = 0, norm;
    for (int i = 0; i < n; i++)
        own += w[i] * w[i];
    MPI_Allreduce(&own, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    norm = sqrt(norm);
    for (int i = 0; i < n; i++)
        v[i] = w[i] / norm;
}

double dot(const double *x, const double *y, int n) {
    double own = 0, all;
    for (int i = 0; i < n; i++)
        own += x[i] * y[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

void scale_rows(double (*restrict a)[N], const double *restrict d) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = a[i][j] / d[i];
}

void jacobi_of_sparse(double *restrict y, const double *restrict v, const double *restrict diagonal, int n) {
    for (int i = 0; i < n; i++)
        y[i] = v[i] / diagonal[i];
}

void summa(double *c, double *panel, const double *a, const double *b, int n, int nb, int row, int columns, MPI_Comm along) {
    int me;
    MPI_Comm_rank(along, &me);
    for (int k = 0; k < columns; k++) {
        if (k == me)
            for (int i = 0; i < n * nb; i++)
                panel[i] = a[i];
        MPI_Bcast(panel, n * nb, MPI_DOUBLE, k, along);
        for (int i = 0; i < n; i++)
            for (int l = 0; l < nb; l++)
                for (int j = 0; j < n; j++)
                    c[i * n + j] += panel[i * nb + l] * b[l * n + j];
    }
}

void pivots(double *a, double *row, int n, int rank, int size) {
    for (int k = 0; k < n; k++) {
        int owner = k % size;
        if (rank == owner)
            for (int j = k; j < n; j++)
                row[j] = a[k / size * n + j];
        MPI_Bcast(row, n, MPI_DOUBLE, owner, MPI_COMM_WORLD);
        for (int i = 0; i < n / size; i++)
            for (int j = k; j < n; j++)
                a[i * n + j] -= row[j];
    }
}

// Faults.

void multiply_ijk(double (*restrict c)[N], const double (*restrict a)[N], const double (*restrict b)[N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) { //= order of loops
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}

void column_sums(double *restrict sum, const double (*restrict a)[N]) {
    for (int j = 0; j < N; j++) { //= order of loops
        double own = 0;
        for (int i = 0; i < N; i++)
            own += a[i][j];
        sum[j] = own;
    }
}

void column_variances(double *restrict variance, const double (*restrict a)[N]) {
    for (int j = 0; j < N; j++) {
        double mean = 0, sum = 0;
        for (int i = 0; i < N; i++) //= order of loops
            mean += a[i][j];
        for (int i = 0; i < N; i++) //= order of loops
            sum += (a[i][j] - mean / N) * (a[i][j] - mean / N);
        variance[j] = sum / N;
    }
}

void transpose(double *restrict b, const double *restrict a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) //= order of loops
            b[j * n + i] = a[i * n + j];
}

void sparse_product(double *restrict y, const double *restrict v, const int *restrict column, const int *restrict from,
                    const double *restrict x, int n) {
    for (int i = 0; i < n; i++) //= division of work
        for (int k = from[i]; k < from[i + 1]; k++)
            y[i] += v[k] * x[column[k]]; //= indirection
}

void three_dots(const double *x, const double *y, double out[3], int n) {
    double xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        xx += x[i] * x[i];
        xy += x[i] * y[i];
        yy += y[i] * y[i];
    }
    MPI_Allreduce(&xx, &out[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); //= messages
    MPI_Allreduce(&xy, &out[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&yy, &out[2], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
