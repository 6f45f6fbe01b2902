/* On each rank, one thread has three times the work of the others. */
#include <mpi.h>
#include <omp.h>
#ifndef UNIT
#define UNIT 20000
#endif

static void work(int units) {
    volatile double x = 1;
    for (long i = 0; i < (long)units * UNIT; i++)
        x = x * 1.0000001 + 1e-9;
}
static void alone(void) {
    work(2);
}
static void start(void) {
    #pragma omp parallel num_threads(3)
    work(0);
}
static void together(int rank) {
    #pragma omp parallel num_threads(3)
    work(omp_get_thread_num() == rank ? 3 : 1);
}
/* Each of two ranks has 2 (2 + 5 + 5) units; the slowest threads have 2 (2 + 3 + 3) of them, which is the path. */
int main(int argc, char **argv) {
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start();
    for (int i = 0; i < 2; i++) {
        alone();
        MPI_Barrier(MPI_COMM_WORLD);
        together(2 * rank);
        together(1 - rank);
    }
    MPI_Finalize();
}
