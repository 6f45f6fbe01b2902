/* Heat spreads through a plate with one hot edge: Jacobi's method on a grid that is cut into bands of rows.
   README.md says what there is to see. */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "field.h"
#include "halo.h"

enum { SWEEPS_PER_CHECK = 20 };

struct options {
    int rows, columns, sweeps;
};

static bool read_count(const char *text, int *count) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *count = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= 1 && value <= 100000;
}

/* What is wrong with the command line or the number of ranks, or NULL. */
static const char *read_options(int argc, char **argv, struct options *options) {
    int size, *const counts[] = {&options->rows, &options->columns, &options->sweeps};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        if (i > 3 || !read_count(argv[i], counts[i - 1])) {
            return "usage: heat [rows] [columns] [sweeps], each a number from 1 to 100000";
        }
    }
    if (options->rows % size != 0) {
        return "heat: the rows do not divide evenly among the ranks";
    }
    return NULL;
}

/* Hot metal conducts heat less well. */
static inline double conductivity(double temperature) {
    return 1 / (1 + 0.004 * temperature);
}

/* Sets each cell of the rows FIRST to LAST, but for the left and right edge, to what its neighbours conduct
   to it: the mean of their temperatures, weighted with their conductivities. */
static void relax(const struct field *old, struct field *new, int first, int last) {
    for (int row = first; row <= last; row++) {
        const double *above = field_row(old, row - 1), *below = field_row(old, row + 1);
        const double *here = field_row(old, row);
        double *restrict result = field_row(new, row);
        for (int column = 1; column < old->columns - 1; column++) {
            double up = conductivity(above[column]), down = conductivity(below[column]);
            double left = conductivity(here[column - 1]), right = conductivity(here[column + 1]);
            double flow = up * above[column] + down * below[column] + left * here[column - 1] +
                          right * here[column + 1];
            result[column] = flow / (up + down + left + right);
        }
    }
}

/* One sweep over the band. With OVERLAP, the rows that need no halo are computed while it travels. */
static void sweep(struct halo *halo, const struct field *old, struct field *new) {
    halo_start(halo, old);
#ifdef OVERLAP
    relax(old, new, 2, old->rows - 1);
    halo_finish(halo);
    relax(old, new, 1, 1);
    relax(old, new, old->rows, old->rows);
#else
    halo_finish(halo);
    relax(old, new, 1, old->rows);
#endif
}

/* How much the last sweep changed the plate, all ranks together. */
static double residual(const struct field *a, const struct field *b) {
    double own = field_distance(a, b), all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all);
}

/* Sweeps from one field to the other and back; false if there is no memory for the two. */
static bool solve(const struct options *options, int rows, bool topmost, double *change) {
    struct field old = {0}, new = {0};
    struct halo halo = halo_make();
    bool made = field_make(&old, rows, options->columns, topmost) &&
                field_make(&new, rows, options->columns, topmost);
    for (int n = 1; made && n <= options->sweeps; n++) {
        sweep(&halo, &old, &new);
        if (n % SWEEPS_PER_CHECK == 0 || n == options->sweeps) {
            *change = residual(&old, &new);
        }
        struct field swap = old;
        old = new;
        new = swap;
    }
    field_free(&old);
    field_free(&new);
    return made;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct options options = {.rows = 840, .columns = 1200, .sweeps = 500};
    const char *complaint = read_options(argc, argv, &options);
    if (complaint != NULL) {
        if (rank == 0) {
            fprintf(stderr, "%s\n", complaint);
        }
        MPI_Finalize();
        return 2;
    }
    double change = 0;
    if (!solve(&options, options.rows / size, rank == 0, &change)) {
        fprintf(stderr, "heat: no memory for %d x %d cells\n", options.rows / size, options.columns);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0) {
        printf("heat: %d x %d cells, %d sweeps, last change %.9e\n", options.rows, options.columns,
               options.sweeps, change);
    }
    MPI_Finalize();
    return 0;
}
