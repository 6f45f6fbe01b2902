/* Threads that exchange messages at once, each with itself, so that handles go from one to another. */
#include "case.h"

#include <mpi.h>
#include <pthread.h>

#define THREADS 4
#define ROUNDS 2000
#define N 25

static void *exchange(void *argument) {
    MPI_Comm comm = *(MPI_Comm *)argument;
    int out[N] = {0}, in[4 * N];
    MPI_Request requests[2];
    int other;
    MPI_Comm_rank(comm, &other);
    enter_region("aa1|user|exchange|||0|0|0");
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Irecv(in, 4 * N, MPI_INT, other, 1, comm, &requests[0]);
        MPI_Isend(out, N, MPI_INT, other, 1, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    exit_region("aa1|user|exchange|||0|0|0");
    return NULL;
}

int main(int argc, char **argv) {
    int provided, rank;
    pthread_t threads[THREADS];
    MPI_Comm comms[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided != MPI_THREAD_MULTIPLE)
        return 77;
    open_cases(rank);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        pthread_create(&threads[i], NULL, exchange, &comms[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    fprintf(expectations, "exchange\t%d\t%d\t%d\n", 3 * THREADS * ROUNDS, THREADS * ROUNDS * N * 4,
            THREADS * ROUNDS * N * 4);
    close_cases();
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
