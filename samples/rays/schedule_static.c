/* Static: every worker gets one contiguous block of the line, all blocks of the same number of shots. */
#include "schedule.h"

#include <mpi.h>
#include <stdlib.h>

#include "memory.h"
#include "propagate.h"

enum { MASTER = 0, SHOTS_TAG, TIMES_TAG };

/* The first shot of a worker's block; workers count from 1. */
static int block_start(int worker, int count) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return (int)((long)count * (worker - 1) / (size - 1));
}

static int block_length(int worker, int count) {
    return block_start(worker + 1, count) - block_start(worker, count);
}

static int shot_bytes(int shots) {
    return shots * (int)sizeof(struct shot);
}

void hand_out(struct shot *shots, int count, double *times) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int worker = 1; worker < size; worker++) {
        MPI_Send(shots + block_start(worker, count), shot_bytes(block_length(worker, count)), MPI_BYTE,
                 worker, SHOTS_TAG, MPI_COMM_WORLD);
    }
    for (int worker = 1; worker < size; worker++) {
        MPI_Recv(times + block_start(worker, count), block_length(worker, count), MPI_DOUBLE, worker,
                 TIMES_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

void work(const struct model *model, int count, int rays) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int length = block_length(rank, count);
    struct shot *shots = allocate(length, sizeof *shots);
    double *times = allocate(length, sizeof *times);
    MPI_Recv(shots, shot_bytes(length), MPI_BYTE, MASTER, SHOTS_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < length; i++) {
        times[i] = propagate(model, &shots[i], rays);
    }
    MPI_Send(times, length, MPI_DOUBLE, MASTER, TIMES_TAG, MPI_COMM_WORLD);
    free(times);
    free(shots);
}
