// Particles: pair forces, cells, neighbour lists, gathers of structures.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
struct particle { double x, y, z, vx, vy, vz, fx, fy, fz, mass, charge, radius; };
struct point { double x, y, z; };

void forces(struct point *restrict f, const struct point *restrict p, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            double r2 = dx * dx + dy * dy + dz * dz + 1e-9;
            double w = 1 / (r2 * sqrt(r2));
            f[i].x += w * dx;
            f[i].y += w * dy;
            f[i].z += w * dz;
        }
}

void advance(struct particle *p, int n, double dt) {
    for (int i = 0; i < n; i++) {
        p[i].vx += dt * p[i].fx / p[i].mass;
        p[i].vy += dt * p[i].fy / p[i].mass;
        p[i].vz += dt * p[i].fz / p[i].mass;
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}

void half_pairs_folded(double *f, const double *x, int n) {
#pragma omp parallel for
    for (int i = 0; i < n / 2; i++) {
        for (int j = 0; j < i; j++)
            f[i] += x[j] * x[i];
        for (int j = 0; j < n - i; j++)
            f[n - 1 - i] += x[j] * x[i];
    }
}

void half_pairs_dealt(double *f, const double *x, int n) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            f[i] += x[j] * x[i];
}

void half_pairs_on_demand(double *f, const double *x, int n) {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            f[i] += x[j] * x[i];
}

void window(double *f, const double *x, int n) {
#pragma omp parallel for
    for (int i = 8; i < n - 8; i++)
        for (int j = i - 8; j <= i + 8; j++)
            f[i] += x[j];
}

static double pull(double r) { return 1 / (r * r) - 1 / (r * r * r); }

void uniform_calls(double *f, const double *x, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        f[i] = pull(x[i]);
}

void count_in_cells(int *count, const struct point *p, int n, double width, int cells) {
    for (int i = 0; i < n; i++) {
        int c = (int)(p[i].x / width);
        if (c >= 0 && c < cells)
            count[c]++;
    }
}

void kinds(double *restrict e, const unsigned char *restrict kind, const double *restrict energy_of, int n) {
    for (int i = 0; i < n; i++)
        e[i] += energy_of[kind[i]];
}

void near_grid(double (*restrict rho)[64], const struct point *restrict p, int n) {
    for (int i = 0; i < n; i++)
        rho[(int)p[i].x][(int)p[i].y] += 1;
}

double kinetic(const struct particle *p, int n) {
    double e = 0;
    for (int i = 0; i < n; i++)
        e += 0.5 * p[i].mass * (p[i].vx * p[i].vx + p[i].vy * p[i].vy + p[i].vz * p[i].vz) + p[i].charge * p[i].x
            + p[i].radius * p[i].y * p[i].z;
    return e;
}

void lists_grow(int **list, int *many, int *room, const double *x, int n, double cut) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (fabs(x[i] - x[j]) < cut) {
                if (many[i] == room[i]) {
                    room[i] *= 2;
                    list[i] = realloc(list[i], room[i] * sizeof(int));
                }
                list[i][many[i]++] = j;
            }
}

void leavers(double *x, double *going, int *many, int n, double edge, int right) {
    int k = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > edge)
            going[k++] = x[i];
    MPI_Send(&k, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Send(going, k, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
    *many = k;
}

void energies(double *e, const double *x, const double *v, int n, double *temperature) {
    double own = 0, all;
    for (int i = 0; i < n; i++)
        own += v[i] * v[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double scale = sqrt(*temperature / all), potential = 0;
    for (int i = 0; i < n; i++)
        potential += scale * x[i];
    MPI_Allreduce(&potential, e, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Faults.

double range(const struct particle *p, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) //= order of loops
        sum += p[i].x * p[i].radius;
    return sum;
}

void neighbour_forces(double *restrict f, const double *restrict x, const int *restrict list, const int *restrict from, int n) {
    for (int i = 0; i < n; i++) //= division of work
        for (int k = from[i]; k < from[i + 1]; k++)
            f[i] += x[list[k]] - x[i]; //= indirection
}

void deposit(double *restrict rho, const int *restrict cell, const double *restrict q, int n) {
    for (int i = 0; i < n; i++) {
        int c = cell[i];
        rho[c] += q[i]; //= indirection
    }
}

void half_pairs(double *f, const double *x, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) //= threads
        for (int j = 0; j < i; j++)
            f[i] += x[j] * x[i];
}

void upper_half(double *f, const double *x, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) //= threads
        for (int j = i + 1; j < n; j++)
            f[i] += x[j] * x[i];
}

void lists_of_threads(double *f, const double *x, const int *from, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) //= threads
        for (int k = from[i]; k < from[i + 1]; k++) //= division of work
            f[i] += x[k];
}

void lennard_jones(double *e, const double *r, int n) {
    for (int i = 0; i < n; i++)
        e[i] = pow(r[i], 4) - r[i]; //= repeated work
}

void scratch(double *f, const double *x, int n, int m) {
    for (int i = 0; i < n; i++) {
        double *near = malloc(m * sizeof *near); //= repeated work
        for (int j = 0; j < m; j++)
            near[j] = x[i + j];
        for (int j = 0; j < m; j++)
            f[i] += near[j] * near[m - 1 - j];
        free(near);
    }
}
