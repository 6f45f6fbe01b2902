// Further programs, written after the rules were mended: lattice gas, finite elements, images, queues, trees, solvers.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define M 400

void stream(double (*restrict to)[M][9], const double (*restrict from)[M][9]) {
    for (int i = 1; i < M - 1; i++)
        for (int j = 1; j < M - 1; j++) {
            to[i][j][0] = from[i][j][0];
            to[i][j][1] = from[i - 1][j][1];
            to[i][j][2] = from[i + 1][j][2];
            to[i][j][3] = from[i][j - 1][3];
            to[i][j][4] = from[i][j + 1][4];
            to[i][j][5] = from[i - 1][j - 1][5];
            to[i][j][6] = from[i + 1][j + 1][6];
            to[i][j][7] = from[i - 1][j + 1][7];
            to[i][j][8] = from[i + 1][j - 1][8];
        }
}

void stiffness(double (*restrict k)[8][8], const double (*restrict b)[8], int n) {
    for (int e = 0; e < n; e++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                for (int q = 0; q < 4; q++)
                    k[e][i][j] += b[q][i] * b[q][j];
}

void blur(unsigned char *restrict out, const unsigned char *restrict in, int w, int h) {
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += in[(y + dy) * w + x + dx];
            out[y * w + x] = sum / 9;
        }
}

void rotate_tiles(unsigned *restrict out, const unsigned *restrict in, int n, int tile) {
    for (int by = 0; by < n; by += tile)
        for (int bx = 0; bx < n; bx += tile)
            for (int y = by; y < by + tile; y++)
                for (int x = bx; x < bx + tile; x++)
                    out[x * n + (n - 1 - y)] = in[y * n + x];
}

void mirror(double *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[i * n + j] = 0.5 * (a[i * n + j] + a[i * n + j]);
}

void gram_schmidt(double (*q)[M], int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            double r = 0;
            for (int j = 0; j < M; j++)
                r += q[i][j] * q[k][j];
            for (int j = 0; j < M; j++)
                q[i][j] -= r * q[k][j];
        }
        double s = 0;
        for (int j = 0; j < M; j++)
            s += q[i][j] * q[i][j];
        s = sqrt(s);
        for (int j = 0; j < M; j++)
            q[i][j] /= s;
    }
}

void householder(double (*a)[M], double *v) {
    for (int k = 0; k < M - 1; k++) {
        double s = 0;
        for (int i = k; i < M; i++)
            s += a[i][k] * a[i][k];
        for (int i = k; i < M; i++)
            v[i] = a[i][k];
        v[k] += sqrt(s);
        for (int i = k; i < M; i++)
            for (int j = k; j < M; j++)
                a[i][j] -= v[i] * v[j] / s;
    }
}

int edit_distance(int (*d)[M], const char *a, const char *b, int n, int m) {
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int best = d[i - 1][j - 1] + (a[i] != b[j]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

void knapsack(double *best, const double *value, const int *weight, int n, int room) {
    for (int i = 0; i < n; i++)
        for (int w = room; w >= weight[i]; w--) {
            double with = best[w - weight[i]] + value[i];
            if (with > best[w])
                best[w] = with;
        }
}

void sieve(char *composite, int n) {
    for (int p = 2; p * p < n; p++)
        if (!composite[p])
            for (int k = p * p; k < n; k += p)
                composite[k] = 1;
}

void mandelbrot_line(int *count, const double *cr, double ci, int n) {
    for (int i = 0; i < n; i++) {
        double zr = 0, zi = 0;
        int k = 0;
        while (k < 1000 && zr * zr + zi * zi < 4) {
            double t = zr * zr - zi * zi + cr[i];
            zi = 2 * zr * zi + ci;
            zr = t;
            k++;
        }
        count[i] = k;
    }
}

void newton(double *x, const double *a, int n) {
    for (int i = 0; i < n; i++) {
        double y = a[i];
        for (int k = 0; k < 50; k++) {
            double next = 0.5 * (y + a[i] / y);
            if (fabs(next - y) < 1e-12)
                break;
            y = next;
        }
        x[i] = y;
    }
}

void heap_down(double *h, int at, int n) {
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n)
            break;
        if (child + 1 < n && h[child + 1] < h[child])
            child++;
        if (h[at] <= h[child])
            break;
        double t = h[at];
        h[at] = h[child];
        h[child] = t;
        at = child;
    }
}

void scan(double *restrict out, const double *restrict in, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
}

void horner(double *restrict y, const double *restrict x, const double *restrict c, int n, int terms) {
    for (int i = 0; i < n; i++) {
        double p = 0;
        for (int k = terms - 1; k >= 0; k--)
            p = p * x[i] + c[k];
        y[i] = p;
    }
}

void softmax(double *x, int n) {
    double most = x[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (int i = 0; i < n; i++) {
        x[i] = exp(x[i] - most);
        sum += x[i];
    }
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

void planck(double *b, const double *nu, double t, int n) {
    for (int i = 0; i < n; i++)
        b[i] = nu[i] * nu[i] * nu[i] / (exp(nu[i] / t) - 1);
}

void gauss_points(double *x, double *w, int n) {
    for (int i = 0; i < n; i++) {
        x[i] = cos(M_PI * (i + 0.75) / (n + 0.5));
        w[i] = M_PI / n * sin(M_PI * (i + 1) / (n + 1));
    }
}

void time_factor(double (*u)[M], int steps, double dt) {
    for (int t = 0; t < steps; t++) {
        double f = sin(t * dt);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < M; j++)
                u[i][j] += f;
    }
}

int first_free(const char *used, int n) {
    int at = 0;
    while (at < n && used[at])
        at++;
    return at;
}

int compare(const int *a, const int *b, int n) {
    for (int i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

void quantise(int *code, const double *x, const double *level, int n) {
    for (int i = 0; i < n; i++) {
        int k = 0;
        for (; k < 7; k++)
            if (x[i] < level[k])
                break;
        code[i] = k;
    }
}

void bucket_fill(int *next, int *head, const int *cell, int n) {
    for (int i = 0; i < n; i++) {
        int c = cell[i] & 1023;
        next[i] = head[c];
        head[c] = i;
    }
}

void colours(unsigned *restrict out, const unsigned char *restrict pixel, const unsigned *restrict palette, int n) {
    for (int i = 0; i < n; i++) {
        int p = pixel[i];
        out[i] = palette[p];
    }
}

void four_corners(double *restrict f, const double (*restrict shape)[4], const double (*restrict u)[4], int n) {
    for (int e = 0; e < n; e++)
        for (int c = 0; c < 4; c++)
            f[e] += shape[c][0] * u[e][c];
}

char *joined(char **part, int n, size_t *length) {
    size_t room = 64;
    char *all = malloc(room);
    *length = 0;
    for (int i = 0; i < n; i++) {
        size_t more = strlen(part[i]);
        while (*length + more > room)
            all = realloc(all, room *= 2);
        memcpy(all + *length, part[i], more);
        *length += more;
    }
    return all;
}

void rows_allocated(double **row, int n, int m) {
    for (int i = 0; i < n; i++)
        row[i] = malloc(m * sizeof **row);
}

void probe_and_receive(char *buffer, long *total, int messages) {
    for (int i = 0; i < messages; i++) {
        MPI_Status status;
        int count;
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        MPI_Recv(buffer, count, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        *total += count;
    }
}

void lines_to_root(double *line, int n, int rows, int rank, int size, FILE *f) {
    //# io_calls=64 io_bytes=64000000
    for (int r = 0; r < rows * size; r++) {
        if (rank == 0) {
            if (r / rows)
                MPI_Recv(line, n, MPI_DOUBLE, r / rows, r, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fwrite(line, sizeof *line, n, f);
        } else if (rank == r / rows)
            MPI_Send(line, n, MPI_DOUBLE, 0, r, MPI_COMM_WORLD);
    }
}

void adapt(double *x, int n, double *dt, double end) {
    double t = 0;
    while (t < end) {
        double own = 0, all;
        for (int i = 0; i < n; i++)
            own = fmax(own, fabs(x[i]));
        MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        *dt = 0.5 / all;
        for (int i = 0; i < n; i++)
            x[i] -= *dt * x[i];
        t += *dt;
    }
}

void butterfly_exchange(double *x, double *y, int n, int rank, int size) {
    for (int bit = 1; bit < size; bit <<= 1) {
        MPI_Sendrecv(x, n, MPI_DOUBLE, rank ^ bit, 0, y, n, MPI_DOUBLE, rank ^ bit, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            x[i] += y[i];
    }
}

void ping_pong(double *x, int n, int rounds, int rank) {
    for (int k = 0; k < rounds; k++) {
        if (rank == 0) {
            MPI_Send(x, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(x, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(x, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(x, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

void mean_then_deviation(const double *x, int n, double *mean, double *deviation) {
    double own = 0, squares = 0, all;
    for (int i = 0; i < n; i++)
        own += x[i];
    MPI_Allreduce(&own, mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    MPI_Allreduce(&squares, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *deviation = sqrt(all);
}

void new_parameters(double *p, int n, int steps) {
    for (int t = 0; t < steps; t++) {
        p[0] = 0.9 * p[0];
        MPI_Bcast(p, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

void cyclic_rows(double *a, const double *b, int n, int rank, int size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank; i < n; i += size)
        for (int j = 0; j < i; j++)
            a[i] += b[j];
}

void token(int *counter, int next, int before, int rank) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        MPI_Recv(counter, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *counter += 1;
    MPI_Send(counter, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
}

void reductions_of_threads(double *out, const double *x, int n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    *out = sum;
}

void tiles_of_threads(double *restrict a, const double *restrict b, int n) {
#pragma omp parallel for
    for (int t = 0; t < n; t += 64)
        for (int i = t; i < t + 64; i++)
            a[i] = b[i] + 1;
}

void mirrored_rows(double *f, const double *x, int n) {
#pragma omp parallel for
    for (int k = 0; k < n / 2; k++) {
        for (int j = 0; j < k; j++)
            f[k] += x[j];
        for (int j = k; j < n; j++)
            f[n - 1 - k] += x[j];
    }
}

void append_log(FILE *f, const double *x, int steps) {
    //# io_calls=40 io_bytes=1600
    for (int t = 0; t < steps; t++)
        if (t % 50 == 0) {
            fprintf(f, "%d %g\n", t, x[t]);
            fflush(f);
        }
}

void copy_file(FILE *from, FILE *to, char *block, size_t size) {
    //# io_calls=2000 io_bytes=2000000000
    for (;;) {
        size_t got = fread(block, 1, size, from);
        if (got == 0)
            break;
        fwrite(block, 1, got, to);
    }
}

void header(FILE *f, const int *extent) {
    //# io_calls=3 io_bytes=24
    for (int d = 0; d < 3; d++)
        fprintf(f, "%d ", extent[d]);
}

// Faults.

void mirrored_columns(double *a, int n) {
    for (int j = 0; j < n; j++) //= order of loops
        for (int i = 0; i < n; i++)
            a[i * n + j] *= 2;
}

void interpolated(double *restrict y, const double *restrict x, const int *restrict nearest, int n) {
    for (int i = 0; i < n; i++)
        y[i] = 0.5 * x[nearest[i]]; //= indirection
}

void columns_to_neighbour(const double *u, int rows, int columns, int east) {
    for (int i = 0; i < rows; i++)
        MPI_Send(&u[(i + 1) * columns - 2], 1, MPI_DOUBLE, east, i, MPI_COMM_WORLD); //= messages
}

void powers_of_radius(double *restrict v, const double *restrict r, int n) {
    for (int i = 0; i < n; i++)
        v[i] = 4 * (pow(r[i], -0.5) - r[i]); //= repeated work
}

void interval(int *where, const double *edge, const double *x, int n, int m) {
    for (int i = 0; i < n; i++) {
        int k;
        for (k = 0; k < m; k++) //= repeated work
            if (edge[k] > x[i])
                break;
        where[i] = k;
    }
}

void results_in_text(FILE *f, double (*u)[M]) {
    //# io_calls=160000 io_bytes=1600000
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            fprintf(f, "%d %d %g\n", i, j, u[i][j]); //= input and output
}

void rows_of_triangle(double *f, const double *x, int n) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int each = n / size, first = rank * each;
    for (int i = first; i < first + each; i++) //= division of work
        for (int j = i; j < n; j++)
            f[i] += x[j];
}

void triangle_of_threads(double *f, const double *x, int n) {
#pragma omp parallel for
    for (int k = 0; k < n; k++) //= threads
        for (int j = k + 1; j < n; j++)
            f[k] += x[j];
}
