/* Balanced and dominated by MPI: small messages around a ring and small sums: mpi_bound [rounds] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 64 };

/* Passes the values on to the right and takes those from the left. */
static void rotate(long *values, int rank, int size) {
    MPI_Sendrecv_replace(values, VALUES, MPI_LONG, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static long count_up(long *values) {
    long sum = 0;
    for (int i = 0; i < VALUES; i++) {
        values[i] = (values[i] + 1) % 1000003;
        sum += values[i];
    }
    return sum;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 20000;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long values[VALUES], own = 0, total = 0;
    for (int i = 0; i < VALUES; i++) {
        values[i] = rank * VALUES + i;
    }
    for (int round = 0; round < rounds; round++) {
        rotate(values, rank, size);
        own = count_up(values);
        MPI_Allreduce(&own, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("mpi_bound: %ld\n", total);
    }
    MPI_Finalize();
    return 0;
}
