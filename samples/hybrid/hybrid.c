/* The energy of charges that drift in a box: ranks and their threads share the pairs.
   README.md says what there is to see. */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "charges.h"
#include "pairs.h"

struct options {
    int charges, steps;
};

static bool read_count(const char *text, int *count) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *count = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= 1 && value <= 100000;
}

static bool read_options(int argc, char **argv, struct options *options) {
    int *const counts[] = {&options->charges, &options->steps};
    for (int i = 1; i < argc; i++) {
        if (i > 2 || !read_count(argv[i], counts[i - 1])) {
            return false;
        }
    }
    return true;
}

/* The energy of all pairs, all ranks together: each has every SIZE-th charge, so that they have equal shares.
 */
static double total_energy(const struct charge *charges, int count, double *energies) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double own = pairs_energy(charges, count, rank, size, energies), all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Follows the charges; false if there is no memory for them. */
static bool simulate(const struct options *options, double *energy) {
    struct charge *charges = charges_make(options->charges);
    double *energies = malloc((size_t)options->charges * sizeof *energies);
    bool made = charges != NULL && energies != NULL;
    for (int step = 0; made && step < options->steps; step++) {
        charges_drift(charges, options->charges, step);
        *energy = total_energy(charges, options->charges, energies);
    }
    free(charges);
    free(energies);
    return made;
}

int main(int argc, char **argv) {
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct options options = {.charges = 8000, .steps = 20};
    if (!read_options(argc, argv, &options)) {
        if (rank == 0) {
            fprintf(stderr, "usage: hybrid [charges] [steps], each a number from 1 to 100000\n");
        }
        MPI_Finalize();
        return 2;
    }
    double energy = 0;
    if (!simulate(&options, &energy)) {
        fprintf(stderr, "hybrid: no memory for %d charges\n", options.charges);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0) {
        printf("hybrid: %d charges, %d steps, energy %.9e\n", options.charges, options.steps, energy);
    }
    MPI_Finalize();
    return 0;
}
