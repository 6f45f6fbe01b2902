/* Balanced and over in a few milliseconds: short */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>

#include "burn.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    uint64_t sum = 0, state = (uint64_t)rank;
    for (int part = 0; part < 5; part++) {
        state = burn(state, 200000);
    }
    MPI_Reduce(&state, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("short: %" PRIu64 "\n", sum);
    }
    MPI_Finalize();
    return 0;
}
