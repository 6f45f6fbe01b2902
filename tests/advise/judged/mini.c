// In the style of mini-applications and benchmarks; written after the rules were last changed.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NX 162
#define VARIABLES 5

struct matrix { int rows; int *from, *column; double *value; };
struct domain { double *x, *y, *z, *e, *p, *q, *v; int *nodes; int elements; };

void waxpby(int n, double alpha, const double *x, double beta, const double *y, double *w) {
    if (alpha == 1.0)
        for (int i = 0; i < n; i++)
            w[i] = x[i] + beta * y[i];
    else
        for (int i = 0; i < n; i++)
            w[i] = alpha * x[i] + beta * y[i];
}

void symmetric_sweep(const struct matrix *a, const double *r, double *x, const double *diagonal) {
    for (int i = 0; i < a->rows; i++) {
        double sum = r[i];
        for (int k = 0; k < 27; k++)
            sum -= a->value[i * 27 + k];
        x[i] = sum / diagonal[i];
    }
}

void sides(double (*rhs)[NX][VARIABLES], const double (*u)[NX][VARIABLES], double dx) {
    for (int j = 1; j < NX - 1; j++)
        for (int i = 1; i < NX - 1; i++)
            for (int m = 0; m < VARIABLES; m++)
                rhs[j][i][m] += dx * (u[j][i + 1][m] - 2 * u[j][i][m] + u[j][i - 1][m]);
}

void eos(struct domain *d, double cutoff) {
    for (int i = 0; i < d->elements; i++) {
        d->p[i] = 2.0 / 3.0 * d->e[i] / d->v[i];
        if (fabs(d->p[i]) < cutoff)
            d->p[i] = 0;
    }
}

double courant(const struct domain *d, double dt) {
    double least = dt;
    for (int i = 0; i < d->elements; i++) {
        double c = sqrt(1.4 * d->p[i] * d->v[i]);
        if (d->v[i] / c < least)
            least = d->v[i] / c;
    }
    return least;
}

void back_substitution(double (*lhs)[VARIABLES][VARIABLES], double (*rhs)[VARIABLES], int n) {
    for (int i = n - 2; i >= 0; i--)
        for (int m = 0; m < VARIABLES; m++)
            for (int k = 0; k < VARIABLES; k++)
                rhs[i][m] -= lhs[i][m][k] * rhs[i + 1][k];
}

void evolve(double *restrict u, const double *restrict damping, int n) {
    for (int i = 0; i < n; i++)
        u[i] *= damping[i];
}

void exponents(double *damping, int n, double alpha, double t) {
    for (int i = 0; i < n; i++) {
        int k = i < n / 2 ? i : i - n;
        damping[i] = exp(-4 * alpha * M_PI * M_PI * k * k * t);
    }
}

void interpolate(double *fine, const double *coarse, int n) {
    for (int i = 0; i < n - 1; i++) {
        fine[2 * i] = coarse[i];
        fine[2 * i + 1] = 0.5 * (coarse[i] + coarse[i + 1]);
    }
}

void upwind(double *restrict f, const double *restrict u, const double *restrict a, int n) {
    for (int i = 1; i < n; i++)
        f[i] = a[i] > 0 ? a[i] * u[i - 1] : a[i] * u[i];
}

void sum_of_faces(double *restrict out, const double *restrict u, int nx, int ny) {
    for (int j = 0; j < ny; j++)
        out[j] = u[j * nx] + u[j * nx + nx - 1];
}

void unpack_columns(double *restrict u, const double *restrict buffer, int nx, int ny, int width) {
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < width; i++)
            u[j * nx + i] = buffer[j * width + i];
}

void pack_face(double *restrict buffer, const double *restrict u, int nx, int ny, int nz) {
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            buffer[k * ny + j] = u[(k * ny + j) * nx];
}

void ranks_of_keys(int *restrict count, const int *restrict key, int n) {
    int local[1024] = {0};
    for (int i = 0; i < n; i++)
        local[key[i] >> 9]++;
    for (int b = 0; b < 1024; b++)
        count[b] += local[b];
}

void random_numbers(double *x, int n, double seed) {
    for (int i = 0; i < n; i++) {
        seed = fmod(16807 * seed, 2147483647);
        x[i] = seed / 2147483647;
    }
}

int tallies(double *q, const double *x, int n) {
    int many = 0;
    for (int i = 0; i < n; i++) {
        double a = 2 * x[2 * i] - 1, b = 2 * x[2 * i + 1] - 1, t = a * a + b * b;
        if (t <= 1) {
            double f = sqrt(-2 * log(t) / t);
            int l = (int)fmax(fabs(a * f), fabs(b * f));
            q[l] += 1;
            many++;
        }
    }
    return many;
}

void boundary(double (*u)[NX][VARIABLES], double t) {
    for (int j = 0; j < NX; j++)
        for (int m = 0; m < VARIABLES; m++) {
            u[j][0][m] = t;
            u[j][NX - 1][m] = -t;
        }
}

void line_of_sight(double *restrict depth, const double (*restrict rho)[NX], int n) {
    for (int i = 0; i < n; i++) {
        double t = 0;
        for (int k = 0; k < NX; k++) {
            t += rho[i][k];
            if (t > 10)
                break;
        }
        depth[i] = t;
    }
}

void swap_rows(double (*a)[NX], int one, int two) {
    for (int j = 0; j < NX; j++) {
        double t = a[one][j];
        a[one][j] = a[two][j];
        a[two][j] = t;
    }
}

void outer(double (*a)[NX], const double *x, const double *y) {
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NX; j++)
            a[i][j] += x[i] * y[j];
}

void exchange(double **send, double **receive, const int *neighbour, const int *many, int neighbours) {
    MPI_Request *of = malloc(2 * neighbours * sizeof *of);
    for (int k = 0; k < neighbours; k++)
        MPI_Irecv(receive[k], many[k], MPI_DOUBLE, neighbour[k], 0, MPI_COMM_WORLD, &of[k]);
    for (int k = 0; k < neighbours; k++)
        MPI_Isend(send[k], many[k], MPI_DOUBLE, neighbour[k], 0, MPI_COMM_WORLD, &of[neighbours + k]);
    MPI_Waitall(2 * neighbours, of, MPI_STATUSES_IGNORE);
    free(of);
}

void collective_by_steps(double *x, double *all, int n, int steps) {
    //# mpi_calls=100 mpi_bytes=80000
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < n; i++)
            x[i] = 0.5 * x[i] + all[i];
        MPI_Allreduce(x, all, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

void stop_everywhere(int *stop, double error, int steps) {
    for (int t = 0; t < steps && !*stop; t++) {
        int own = error * t < 1e-6;
        MPI_Allreduce(&own, stop, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
}

void two_counts(const int *flag, int n, int *sums) {
    int own[2] = {0, 0};
    for (int i = 0; i < n; i++)
        own[flag[i] & 1]++;
    MPI_Allreduce(own, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void forward(double *edge, double *u, int n, int rank, int size) {
    if (rank > 0)
        MPI_Recv(edge, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        edge[i] += u[i];
    if (rank < size - 1)
        MPI_Send(edge, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD); //= messages
}

void even_then_odd(double *u, double *ghost, int rank, int size) {
    if (rank % 2) {
        MPI_Recv(ghost, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(u, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD); //= messages
    } else {
        MPI_Send(u, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD); //= messages
        MPI_Recv(ghost, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

void share_of_cells(double *e, int cells) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int base = cells / size, rest = cells % size;
    int first = rank * base + (rank < rest ? rank : rest), last = first + base + (rank < rest);
    for (int c = first; c < last; c++)
        e[c] = 1.5 * e[c] + 2;
}

void root_prints_table(const double *t, int n, int rank) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            printf("%d %g\n", i, t[i]);
}

void root_sets_up(double *all, double *own, int n, int size) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        for (int i = 0; i < n * size; i++)
            all[i] = 1.0 / (1 + i);
    MPI_Scatter(all, n, MPI_DOUBLE, own, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int t = 0; t < 1000; t++)
        for (int i = 0; i < n; i++)
            own[i] *= 1.01;
}

void zones_of_threads(double (*restrict a)[NX], const double (*restrict b)[NX], int n) {
#pragma omp parallel for
    for (int j = 0; j < n; j++)
        for (int i = 1; i < NX - 1; i++)
            a[j][i] = b[j][i - 1] + b[j][i + 1];
}

void largest_of_threads(const double *x, int n, double *out) {
    double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int i = 0; i < n; i++)
        if (x[i] > most)
            most = x[i];
    *out = most;
}

void partial_sums(double *partial, const double *x, int n, int threads) {
#pragma omp parallel for
    for (int t = 0; t < threads; t++) {
        double sum = 0;
        for (int i = t * (n / threads); i < (t + 1) * (n / threads); i++)
            sum += x[i];
        partial[t] = sum;
    }
}

void restart(double *u, int n, int fields) {
    //# io_calls=6 io_bytes=48000000
    FILE *f = fopen("restart", "rb");
    for (int k = 0; k < fields; k++)
        fread(u + (long)k * n, sizeof *u, n, f);
    fclose(f);
}

void vtk(FILE *f, const float *p, int points, int fields) {
    //# io_calls=8 io_bytes=32000000
    for (int k = 0; k < fields; k++) {
        fprintf(f, "SCALARS field%d float\nLOOKUP_TABLE default\n", k);
        fwrite(p + (long)k * points, sizeof *p, points, f);
    }
}

int words_in(FILE *f, char *word) {
    //# io_calls=100 io_bytes=409600
    int many = 0;
    while (fgets(word, 4096, f))
        for (char *w = strtok(word, " "); w; w = strtok(NULL, " "))
            many++;
    return many;
}

void asks_until(double *x, int *many) {
    double value;
    while (scanf("%lf", &value) == 1)
        x[(*many)++] = value; // of a person
}

// Faults.

void strided_planes(double (*restrict a)[NX][NX], const double (*restrict b)[NX][NX]) {
    for (int k = 0; k < NX; k++) //= order of loops
        for (int j = 0; j < NX; j++)
            for (int i = 0; i < NX; i++)
                a[i][j][k] = b[i][j][k] * 2;
}

void gathered_nodes(double *restrict xe, const struct domain *d) {
    for (int e = 0; e < d->elements; e++)
        xe[e] = d->x[d->nodes[e]]; //= indirection
}

void each_value(const double *u, int n, int right) {
    for (int i = 0; i < n; i++)
        MPI_Ssend(u + i, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); //= messages
}

void radii(double *r, const double *x, int n) {
    for (int i = 0; i < n; i++)
        r[i] = pow(x[i], 0.5) + 1; //= repeated work
}

void saved_value_by_value(FILE *f, const double *u, int n) {
    //# io_calls=100000 io_bytes=800000
    for (int i = 0; i < n; i++)
        fwrite(&u[i], sizeof u[i], 1, f); //= input and output
}

void share_of_triangle(double *e, int cells) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int c = cells / size * rank; c < cells / size * (rank + 1); c++) //= division of work
        for (int k = 0; k <= c; k++)
            e[c] += k;
}
