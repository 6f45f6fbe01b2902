/* Exact tests of whether two groups of observations differ: all ways to split the observations into groups of
   these sizes are looked at, and those are counted that are at least as extreme as the one observed.
   README.md says what is slow here, and why. */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "location.h"
#include "sample.h"
#include "shape.h"
#include "split.h"

enum { MASTER = 0 };

static bool read_count(const char *text, int *count) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *count = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= 2 && value <= MOST_OBSERVATIONS / 2;
}

/* What is wrong with the command line, or NULL. */
static const char *read_options(int argc, char **argv, int *first, int *second) {
    if (argc > 3 || (argc > 1 && !read_count(argv[1], first)) || (argc > 2 && !read_count(argv[2], second))) {
        return "usage: pvalue [first] [second], the sizes of the groups, each a number from 2 to 20";
    }
    return NULL;
}

static void report(const struct sample *sample, const struct shape *extreme, int64_t location) {
    double total = (double)splits_total(sample);
    printf("pvalue: %" PRId64 " splits, p of location %.9f, spread %.9f, skewness %.9f\n",
           splits_total(sample), location / total, extreme->spread / total, extreme->skewness / total);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, first = 13, second = 13;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *complaint = read_options(argc, argv, &first, &second);
    if (complaint != NULL) {
        if (rank == MASTER) {
            fprintf(stderr, "%s\n", complaint);
        }
        MPI_Finalize();
        return 2;
    }
    struct sample sample = sample_make(first, second);
    struct splits splits = splits_share(&sample, rank, size);
    struct shape own = shape_test(&sample, splits), shape;
    int64_t location = location_test(&sample, splits);
    MPI_Reduce(&own, &shape, 2, MPI_INT64_T, MPI_SUM, MASTER, MPI_COMM_WORLD);
    if (rank == MASTER) {
        report(&sample, &shape, location);
    }
    MPI_Finalize();
    return 0;
}
