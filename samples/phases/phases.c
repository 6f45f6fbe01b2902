/* A program whose behaviour changes: five phases, each of which has something for a time line to show.
   README.md says what. */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

static bool read_count(const char *text, int *count) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *count = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= 1 && value <= 1000000;
}

static void run_phases(int steps) {
    for (int step = 0; step < steps; step++) {
        grow(step, steps);
    }
    for (int step = 0; step < steps; step++) {
        solve(step, steps);
    }
    for (int step = 0; step < steps; step++) {
        advance(step, steps);
    }
    for (int step = 0; step < steps; step++) {
        pack(step, steps);
    }
    for (int step = 0; step < steps; step++) {
        track(step, steps);
    }
}

int main(int argc, char **argv) {
    int rank, steps = 200;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 || (argc == 2 && !read_count(argv[1], &steps))) {
        if (rank == 0) {
            fprintf(stderr, "usage: phases [steps], a number from 1 to 1000000\n");
        }
        MPI_Finalize();
        return 2;
    }
    if (!work_start()) {
        fprintf(stderr, "phases: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    run_phases(steps);
    if (rank == 0) {
        printf("%d steps of each phase, sum %.6g\n", steps, work_sum());
    }
    work_end();
    MPI_Finalize();
    return 0;
}
