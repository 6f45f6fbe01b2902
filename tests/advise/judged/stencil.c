// Stencils on grids: sweeps, faces, halos, multigrid, line solvers.
#include <math.h>
#include <mpi.h>
#define N 1000

void jacobi(double (*restrict v)[N], const double (*restrict u)[N]) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

void red_black(double (*u)[N], const double (*f)[N], int colour) {
    for (int i = 1; i < N - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
            u[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}

void seven_points(double *restrict v, const double *restrict u, int nx, int ny, int nz) {
    for (int k = 1; k < nz - 1; k++)
        for (int j = 1; j < ny - 1; j++)
            for (int i = 1; i < nx - 1; i++) {
                int at = (k * ny + j) * nx + i;
                v[at] = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - nx * ny] + u[at + nx * ny] - 6 * u[at];
            }
}

void fixed_edges(double (*u)[N], const double *left, const double *right) {
    for (int i = 0; i < N; i++) {
        u[i][0] = left[i];
        u[i][N - 1] = right[i];
    }
}

void pack_columns(double *restrict buffer, const double *restrict u, int rows, int columns) {
    for (int i = 0; i < rows; i++)
        buffer[i] = u[i * columns + 1];
}

void restrict_to_coarse(double (*restrict coarse)[N / 2], const double (*restrict fine)[N]) {
    for (int i = 1; i < N / 2 - 1; i++)
        for (int j = 1; j < N / 2 - 1; j++)
            coarse[i][j] = 0.5 * fine[2 * i][2 * j] + 0.125 * (fine[2 * i - 1][2 * j] + fine[2 * i + 1][2 * j]);
}

void transpose_in_blocks(double *restrict b, const double *restrict a, int n) {
    for (int ii = 0; ii < n; ii += 32)
        for (int jj = 0; jj < n; jj += 32)
            for (int i = ii; i < ii + 32; i++)
                for (int j = jj; j < jj + 32; j++)
                    b[j * n + i] = a[i * n + j];
}

void transpose_in_ragged_blocks(double *restrict b, const double *restrict a, int n) {
    for (int ii = 0; ii < n; ii += 16)
        for (int jj = 0; jj < n; jj += 16) {
            int iend = ii + 16 < n ? ii + 16 : n, jend = jj + 16 < n ? jj + 16 : n;
            for (int i = ii; i < iend; i++)
                for (int j = jj; j < jend; j++)
                    b[j * n + i] = a[i * n + j];
        }
}

void thomas_rows(double (*u)[N], const double *c, const double *d) {
    for (int i = 0; i < N; i++) {
        for (int j = 1; j < N; j++)
            u[i][j] = (u[i][j] - c[j] * u[i][j - 1]) / d[j];
        for (int j = N - 2; j >= 0; j--)
            u[i][j] -= c[j] * u[i][j + 1];
    }
}

double residual(const double (*u)[N], const double (*f)[N]) {
    double sum = 0;
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            double r = f[i][j] - 4 * u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
            sum += r * r;
        }
    return sqrt(sum);
}

void components(double (*flux)[5], const double (*q)[5], const double *p, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 5; c++)
            flux[i][c] = q[i][c] * q[i][1] + (c == 1) * p[i];
}

void species(double (*restrict rate)[N], const double (*restrict y)[N]) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int s = 0; s < 3; s++)
            sum += y[s][i];
        rate[0][i] = sum;
    }
}

void heat_steps(double *u, double *v, int n, int up, int down, int steps) {
    for (int t = 0; t < steps; t++) {
        MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, up, 0, &u[n + 1], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, down, 1, &u[0], 1, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i <= n; i++)
            v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
        double *w = u;
        u = v;
        v = w;
    }
}

void overlapped_halo(double *u, double *v, int n, int up, int down, int steps) {
    for (int t = 0; t < steps; t++) {
        MPI_Request of[4];
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &of[0]);
        MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &of[1]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &of[2]);
        MPI_Isend(&u[n], 1, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &of[3]);
        for (int i = 2; i < n; i++)
            v[i] = u[i - 1] + u[i + 1];
        MPI_Waitall(4, of, MPI_STATUSES_IGNORE);
        v[1] = u[0] + u[2];
        v[n] = u[n - 1] + u[n + 1];
        double *w = u;
        u = v;
        v = w;
    }
}

// Faults.

void columns_first(double (*restrict v)[N], const double (*restrict u)[N]) {
    for (int j = 1; j < N - 1; j++) //= order of loops
        for (int i = 1; i < N - 1; i++)
            v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

void planes_last(double *restrict v, const double *restrict u, int nx, int ny, int nz) {
    for (int i = 1; i < nx - 1; i++) //= order of loops
        for (int j = 1; j < ny - 1; j++)
            for (int k = 1; k < nz - 1; k++)
                v[(k * ny + j) * nx + i] = u[(k * ny + j) * nx + i - 1] + u[(k * ny + j) * nx + i + 1];
}

void thomas_columns(double (*u)[N], const double *c) {
    for (int j = 0; j < N; j++) //= order of loops
        for (int i = 1; i < N; i++)
            u[i][j] -= c[i] * u[i - 1][j];
}

double columns_in_turn(const double *a, int n, int along, int turns) {
    double sum = 0;
    for (int r = 0; r < turns; r++) {
        int start = r % n;
        for (int j = 0; j < n; j++) //= order of loops
            sum += a[start + j * along];
    }
    return sum;
}

void edge_by_edge(double *u, int n, int to) {
    for (int i = 0; i < n; i++)
        MPI_Send(&u[i * n], 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD); //= messages
}
