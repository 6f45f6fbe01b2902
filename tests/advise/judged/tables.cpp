// Hash tables, sorting, graphs, Monte Carlo and streams in C++.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
#include <omp.h>
struct entry { long key; double value; };
struct node { node *next; long key; double value; };

long probe(const entry *table, long mask, long key) {
    long at = key & mask;
    while (table[at].key != key && table[at].key != 0)
        at = (at + 1) & mask;
    return at;
}

void insert_all(long *table, long size, const long *key, int n) {
    for (int i = 0; i < n; i++) {
        long at = key[i] % size;
        while (table[at] != 0 && table[at] != key[i])
            at++;
        table[at] = key[i];
    }
}

int in_bucket(const long *keys, const int *from, const long *wanted, int n, long buckets) {
    int found = 0;
    for (int i = 0; i < n; i++) {
        long b = wanted[i] % buckets;
        for (int k = from[b]; k < from[b + 1]; k++)
            if (keys[k] == wanted[i]) {
                found++;
                break;
            }
    }
    return found;
}

void radix_pass(unsigned *out, const unsigned *in, long *place, int n, int shift) {
    for (int i = 0; i < n; i++)
        out[place[(in[i] >> shift) & 255]++] = in[i];
}

void histogram(const int *x, long *count, int n) {
    for (int i = 0; i < n; i++)
        count[x[i] & 63]++;
}

void insertion_sort(double *a, int n) {
    for (int i = 1; i < n; i++) {
        double key = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > key) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
}

int partition(double *a, int low, int high) {
    double pivot = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j)
            std::swap(a[i++], a[j--]);
    }
    return i;
}

void merge(double *out, const double *a, const double *b, int n, int m) {
    int i = 0, j = 0, k = 0;
    while (i < n && j < m)
        out[k++] = a[i] < b[j] ? a[i++] : b[j++];
    while (i < n)
        out[k++] = a[i++];
    while (j < m)
        out[k++] = b[j++];
}

int halves(const double *a, double key, int n) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void two_pointers(int *where, const double *edge, const double *x, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        while (edge[k] < x[i])
            k++;
        where[i] = k;
    }
}

bool until_equal(double *x, const double *y, int n, int most) {
    bool same = false;
    for (int t = 0; t < most && !same; t++) {
        for (int i = 0; i < n; i++)
            x[i] = 0.5 * (x[i] + y[i]);
        same = true;
        for (int i = 0; i < n; i++)
            if (std::fabs(x[i] - y[i]) > 1e-9) {
                same = false;
                break;
            }
    }
    return same;
}

int queens(int *row, int column, int n) {
    int found = 0;
    for (int r = 0; r < n; r++) {
        bool safe = true;
        for (int k = 0; k < column; k++)
            if (row[k] - r == column - k || r - row[k] == column - k) {
                safe = false;
                break;
            }
        found += safe;
    }
    return found;
}

int words(const char *text) {
    int many = 0, i = 0;
    while (text[i] == ' ')
        i++;
    for (; text[i] != 0; i++)
        many += text[i] == ' ';
    return many;
}

void trial_division(int *prime, int many) {
    int found = 1;
    for (int n = 3; found < many; n += 2) {
        bool is_prime = true;
        for (int k = 0; k < found; k++) {
            if (prime[k] * prime[k] > n)
                break;
            if (n % prime[k] == 0) {
                is_prime = false;
                break;
            }
        }
        if (is_prime)
            prime[found++] = n;
    }
}

int nucleotide(const char *sequence, int n) {
    const char letters[4] = {'A', 'C', 'G', 'T'};
    int sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            if (letters[k] == sequence[i]) {
                sum += k;
                break;
            }
    return sum;
}

void shortest_paths(int *d, int n) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

void degrees(int *degree, const int *from, int n) {
    for (int v = 0; v < n; v++)
        degree[v] = from[v + 1] - from[v];
}

void prefix(int *from, const int *degree, int n) {
    from[0] = 0;
    for (int v = 0; v < n; v++)
        from[v + 1] = from[v] + degree[v];
}

double circle(unsigned long state, int n) {
    int inside = 0;
    for (int i = 0; i < n; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        double x = (state >> 11) * 0x1p-53;
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        double y = (state >> 11) * 0x1p-53;
        inside += x * x + y * y < 1;
    }
    return 4.0 * inside / n;
}

double walks(unsigned state, int n, int steps) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double x = 0;
        for (int t = 0; t < steps; t++) {
            state = state * 1664525u + 1013904223u;
            x += (state >> 31) ? 1 : -1;
        }
        sum += std::exp(-x * x);
    }
    return sum / n;
}

std::string formatted(const double *x, int n) {
    std::ostringstream text;
    for (int i = 0; i < n; i++)
        text << x[i] << '\n';
    return text.str();
}

double parsed(const std::string &line) {
    std::istringstream in(line);
    double x, sum = 0;
    while (in >> x)
        sum += x;
    return sum;
}

int lines_of(std::istream &in) {
    std::string line;
    int many = 0;
    while (std::getline(in, line))
        many++;
    return many;
}

void grow(std::vector<double *> &pools, int many, int room) {
    for (int i = 0; i < many; i++) {
        if (i == room) {
            double *more = static_cast<double *>(std::malloc(8ul * room));
            pools.push_back(more);
            room *= 2;
        }
    }
}

double once(int n) {
    //# visits=4 visits_per_rank=1
    double *t = static_cast<double *>(std::malloc(n * sizeof(double))), sum = 0;
    for (int i = 0; i < n; i++)
        t[i] = i;
    for (int i = 0; i < n; i++)
        sum += t[i];
    std::free(t);
    return sum;
}

void shares_of_threads(double *out, const double *x, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        double own = 0;
#pragma omp for
        for (int i = 0; i < n; i++)
            own += x[i];
        out[me] = own;
    }
}

void private_histograms(int (*count)[256], const unsigned char *x, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++)
            count[me][x[i]]++;
    }
}

void padded(double (*sum)[8], const double *x, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++)
            sum[me][0] += x[i];
    }
}

void drawn_edges(double *x, int n, double *y) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (x[i] > 1)
            y[i] = x[i];
}

// Faults.

long chained(const node *p) {
    long sum = 0;
    while (p) {
        sum += p->key;
        p = p->next; //= indirection
    }
    return sum;
}

int around_the_ring(const int *next, int at, int n) {
    for (int i = 0; i < n; i++)
        at = next[at]; //= indirection
    return at;
}

void ranks_of_pages(double *score, const double *before, const int *from, const int *link, int n) {
    for (int v = 0; v < n; v++) //= division of work
        for (int k = from[v]; k < from[v + 1]; k++)
            score[v] += before[link[k]]; //= indirection
}

int looked_up(const long *keys, const long *wanted, int n, int m) {
    int found = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) //= repeated work
            if (keys[k] == wanted[i]) {
                found++;
                break;
            }
    return found;
}

void sums_side_by_side(double *sum, const double *x, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++)
            sum[me] += x[i]; //= threads
    }
}

void scratch_in_each(const std::vector<double> &x, std::vector<double> &y, int m) {
    for (size_t i = 0; i < x.size(); i++) {
        std::vector<double> t(m); //= repeated work
        for (int k = 0; k < m; k++)
            t[k] = x[i] * k;
        y[i] = t[m - 1];
    }
}

void written_as_text(const double *x, int n) {
    //# io_calls=1000 io_bytes=20000
    std::ofstream out("x.txt");
    for (int i = 0; i < n; i++)
        out << x[i] << '\n'; //= input and output
}

void flushed_as_text(const double *x, int n) {
    //# io_calls=1000 io_bytes=20000
    std::ofstream out("x.txt");
    for (int i = 0; i < n; i++)
        out << x[i] << std::endl; //= input and output
}
