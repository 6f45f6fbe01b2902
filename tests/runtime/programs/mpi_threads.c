/* Threads that exchange messages at the same time, each with its peer on the other rank, so that MPI uses the handle of
 * one thread's completed receive again for another thread's receive or send. */
#include "case.h"

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>

#define THREADS 4
#ifdef OPEN_MPI
#define ROUNDS 200 /* few, because the threads poll, and slow each other down if there are few cores */
#else
#define ROUNDS 2000
#endif
#define N 25

static MPI_Comm comms[THREADS];

static const char *const regions[THREADS] = {
    "aa1|user|thread 0|||0|0|0",
    "aa1|user|thread 1|||0|0|0",
    "aa1|user|thread 2|||0|0|0",
    "aa1|user|thread 3|||0|0|0",
};

static void *exchange(void *argument) {
    int thread = (int)(intptr_t)argument;
    MPI_Comm comm = comms[thread];
    int out[N] = {0}, in[4 * N];
    MPI_Request requests[2];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int other = size - 1 - rank;
    enter_region(regions[thread]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Irecv(in, 4 * N, MPI_INT, other, 1, comm, &requests[0]);
        MPI_Issend(out, N, MPI_INT, other, 1, comm, &requests[1]);
        if (round % 2)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        else
            for (int i = 0; i < 2; i++)
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    exit_region(regions[thread]);
    return NULL;
}

int main(int argc, char **argv) {
    int provided, rank;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided != MPI_THREAD_MULTIPLE)
        return 77;
    open_cases(rank);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        pthread_create(&threads[i], NULL, exchange, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        fprintf(expectations, "thread %d\t%d\t%d\t%d\n", i, 7 * ROUNDS / 2, ROUNDS * N * 4, ROUNDS * N * 4);
    }
    close_cases();
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Finalize();
    return 0;
}
