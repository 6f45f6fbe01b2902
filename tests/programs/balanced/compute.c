/* Balanced and bound by the processor: compute [steps in millions] */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static uint64_t stage(uint64_t state, long steps) {
    for (int part = 0; part < 10; part++) {
        state = burn(state, steps / 10);
    }
    return state;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    long steps = (argc > 1 ? atol(argv[1]) : 200) * 1000000;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    uint64_t state = (uint64_t)rank, sum;
    for (int round = 0; round < 4; round++) {
        state = stage(state, steps / 4);
        MPI_Allreduce(&state, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("compute: %" PRIu64 "\n", sum);
    }
    MPI_Finalize();
    return 0;
}
