// A last set, in C++: containers, meshes, agents, queues, text; written after the rules were last changed.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <mpi.h>
#include <string>
#include <vector>
struct body { double x[3], v[3], m; };
struct cell { int first, count; double mass, cx, cy; };
struct tree { tree *left, *right; int key; };

void kick(std::vector<body> &all, const std::vector<double> &a, double dt) {
    for (size_t i = 0; i < all.size(); i++)
        for (int d = 0; d < 3; d++)
            all[i].v[d] += dt * a[3 * i + d];
}

double gravity(const body *b, int n, double *f) {
    double potential = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double r2 = 1e-6;
            for (int d = 0; d < 3; d++)
                r2 += (b[i].x[d] - b[j].x[d]) * (b[i].x[d] - b[j].x[d]);
            double r = std::sqrt(r2);
            potential -= b[i].m * b[j].m / r;
            f[i] += b[j].m / (r * r2);
            f[j] -= b[i].m / (r * r2);
        }
    return potential;
}

void centres(cell *c, int n) {
    for (int i = 0; i < n; i++)
        if (c[i].count > 0) {
            c[i].cx /= c[i].mass;
            c[i].cy /= c[i].mass;
        }
}

int life(const unsigned char *from, unsigned char *to, int w, int h) {
    int alive = 0;
    for (int y = 1; y < h - 1; y++)
        for (int x = 1; x < w - 1; x++) {
            int at = y * w + x;
            int near = from[at - 1] + from[at + 1] + from[at - w] + from[at + w] + from[at - w - 1] + from[at - w + 1]
                + from[at + w - 1] + from[at + w + 1];
            to[at] = near == 3 || (near == 2 && from[at]);
            alive += to[at];
        }
    return alive;
}

void ising(signed char *spin, const double *boltzmann, int n, unsigned seed) {
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            int at = i * n + j, sum = spin[at - 1] + spin[at + 1] + spin[at - n] + spin[at + n];
            seed = seed * 1664525u + 1013904223u;
            if (seed * 0x1p-32 < boltzmann[(spin[at] * sum + 4) & 15])
                spin[at] = -spin[at];
        }
}

void dispatch(const std::vector<int> &jobs, std::vector<double> &out) {
    for (size_t i = 0; i < jobs.size(); i++)
        out[i] = jobs[i] * 0.5;
}

double matrix_chain(double (*cost)[100], const double *size, int n) {
    for (int length = 2; length < n; length++)
        for (int i = 0; i + length < n; i++) {
            int j = i + length;
            cost[i][j] = 1e300;
            for (int k = i + 1; k < j; k++)
                cost[i][j] = std::fmin(cost[i][j], cost[i][k] + cost[k][j] + size[i] * size[k] * size[j]);
        }
    return cost[0][n - 1];
}

int find_empty(const char *slot, int n) {
    for (int i = 0; i < n; i++)
        if (slot[i] == 0)
            return i;
    return -1;
}

bool sorted(const double *x, int n) {
    for (int i = 1; i < n; i++)
        if (x[i] < x[i - 1])
            return false;
    return true;
}

void bubble_once(double *x, int n) {
    for (int pass = 0; pass < n; pass++) {
        bool moved = false;
        for (int i = 1; i < n - pass; i++)
            if (x[i] < x[i - 1]) {
                std::swap(x[i], x[i - 1]);
                moved = true;
            }
        if (!moved)
            break;
    }
}

void merge_runs(const double *a, double *b, int n, int width) {
    for (int lo = 0; lo < n; lo += 2 * width) {
        int i = lo, j = lo + width;
        for (int k = lo; k < lo + 2 * width && k < n; k++)
            b[k] = i < lo + width && (j >= n || a[i] <= a[j]) ? a[i++] : a[j++];
    }
}

void annealing(double *x, int n, double t) {
    double best = 1e300;
    while (t > 1e-3) {
        double e = 0;
        for (int i = 0; i < n; i++)
            e += x[i] * x[i];
        if (e < best)
            best = e;
        t *= 0.99;
    }
}

void legendre(double *p, double x, int n) {
    p[0] = 1;
    p[1] = x;
    for (int k = 2; k < n; k++)
        p[k] = ((2 * k - 1) * x * p[k - 1] - (k - 1) * p[k - 2]) / k;
}

void rotate_all(double *x, double *y, int n, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    for (int i = 0; i < n; i++) {
        double t = c * x[i] - s * y[i];
        y[i] = s * x[i] + c * y[i];
        x[i] = t;
    }
}

void distances(double *d, const double *x, const double *y, int n) {
    for (int i = 0; i < n; i++)
        d[i] = std::sqrt(x[i] * x[i] + y[i] * y[i]) + std::pow(x[i], 1.4);
}

void log_likelihood(double *sum, const double *x, int n, double mean, double sigma) {
    for (int i = 0; i < n; i++) {
        double z = (x[i] - mean) / sigma;
        *sum -= 0.5 * z * z;
    }
}

void stack_of_cells(const cell *c, int *stack, double *mass) {
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const cell &now = c[stack[--top]];
        *mass += now.mass;
        for (int k = 0; k < now.count; k++)
            stack[top++] = now.first + k;
    }
}

void vectors_reused(const std::vector<double> &x, std::vector<double> &y, int m) {
    std::vector<double> t(m);
    for (size_t i = 0; i < x.size(); i++) {
        for (int k = 0; k < m; k++)
            t[k] = x[i] * k;
        y[i] = t[m - 1];
    }
}

void pooled(std::vector<double> &pool, int n) {
    for (int i = 0; i < n; i++)
        if (i % 1024 == 0)
            pool.resize(pool.size() + 1024);
}

void halo_of_rows(double *u, int n, int m, int up, int down, int steps, MPI_Comm comm) {
    for (int t = 0; t < steps; t++) {
        MPI_Sendrecv(u + m, m, MPI_DOUBLE, up, 1, u + (n + 1) * m, m, MPI_DOUBLE, down, 1, comm, MPI_STATUS_IGNORE);
        MPI_Sendrecv(u + n * m, m, MPI_DOUBLE, down, 2, u, m, MPI_DOUBLE, up, 2, comm, MPI_STATUS_IGNORE);
        for (int i = 1; i <= n; i++)
            for (int j = 1; j < m - 1; j++)
                u[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    }
}

void sizes_then_bodies(const std::vector<std::vector<double>> &parts, int size) {
    for (int r = 1; r < size; r++) {
        int many = static_cast<int>(parts[r].size());
        MPI_Send(&many, 1, MPI_INT, r, 0, MPI_COMM_WORLD);
        MPI_Send(parts[r].data(), many, MPI_DOUBLE, r, 1, MPI_COMM_WORLD);
    }
}

void collected(double *all, double *own, int n, int rank, int size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        MPI_Send(own, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    else
        for (int r = 1; r < size; r++)
            MPI_Recv(all + r * n, n, MPI_DOUBLE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void line_search(double *x, const double *g, int n, double *value) {
    double step = 1, own, now;
    do {
        own = 0;
        for (int i = 0; i < n; i++)
            own += (x[i] - step * g[i]) * (x[i] - step * g[i]);
        MPI_Allreduce(&own, &now, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        step *= 0.5;
    } while (now > *value);
    *value = now;
}

void bounds_of_all(double *low, double *high, const double *x, int n) {
    double mine[2] = {1e300, 1e300}, all[2];
    for (int i = 0; i < n; i++) {
        mine[0] = std::fmin(mine[0], x[i]);
        mine[1] = std::fmin(mine[1], -x[i]);
    }
    MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    *low = all[0];
    *high = -all[1];
}

void turns_of_leaders(double *x, int n, int rank, int size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int leader = 0; leader < size; leader++) {
        if (rank == leader)
            for (int i = 0; i < n; i++)
                x[i] *= 2;
        MPI_Bcast(x, n, MPI_DOUBLE, leader, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            x[i] += 1;
    }
}

void static_rows(double *y, const double *a, const double *x, int n, int m) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += a[i * m + j] * x[j];
        y[i] = sum;
    }
}

void own_bins(long *bins, const int *x, int n) {
#pragma omp parallel
    {
        long own[64] = {0};
#pragma omp for
        for (int i = 0; i < n; i++)
            own[x[i] & 63]++;
        for (int b = 0; b < 64; b++)
#pragma omp atomic
            bins[b] += own[b];
    }
}

void write_image(const char *name, const std::vector<unsigned char> &pixels) {
    std::ofstream out(name, std::ios::binary);
    out.write(reinterpret_cast<const char *>(pixels.data()), pixels.size());
}

std::map<std::string, int> count_words(std::istream &in) {
    std::map<std::string, int> many;
    std::string word;
    while (in >> word)
        many[word]++;
    return many;
}

void every_tenth(const double *x, int steps, FILE *f) {
    //# io_calls=20 io_bytes=400
    for (int t = 0; t < steps; t++) {
        if (t % 10)
            continue;
        fprintf(f, "%d %g\n", t, x[t]);
    }
}

int depth_of(const tree *t, int key) {
    int depth = 0;
    while (t && t->key != key) {
        t = key < t->key ? t->left : t->right;
        depth++;
    }
    return depth;
}

// Faults.

void scaled_columns(double (*a)[700], const double *s) {
    for (int j = 0; j < 700; j++) //= order of loops
        for (int i = 0; i < 700; i++)
            a[i][j] *= s[j];
}

void permuted(double *y, const double *x, const int *order, int n) {
    for (int i = 0; i < n; i++)
        y[i] = x[order[i]]; //= indirection
}

void fourth_powers(double *y, const double *t, int n) {
    for (int i = 0; i < n; i++)
        y[i] = 5.67e-8 * std::pow(t[i], 4); //= repeated work
}

void shares_of_lists(double *f, const int *first, int n, int rank, int size) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = rank * n / size; i < (rank + 1) * n / size; i++) //= division of work
        for (int k = first[i]; k < first[i + 1]; k++)
            f[i] += k;
}
