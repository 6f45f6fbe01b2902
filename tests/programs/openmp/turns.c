/* In each step, one of two threads has three times the work of the other: in turn, always the second one, or none. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double sum;

static double work(long n) {
    volatile double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}

static void update(int slow) {
#pragma omp parallel num_threads(2)
    {
        long units = slow < 0 ? 2 : omp_get_thread_num() == slow ? 3 : 1;
        double mine = work(300000 * units);
#pragma omp atomic
        sum += mine;
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 60; step++) {
        double all;
        update(argc < 2 || strcmp(argv[1], "even") == 0 ? -1 : strcmp(argv[1], "turns") == 0 ? step % 2 : 1);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
