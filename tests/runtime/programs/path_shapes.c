/*
 * Shapes of programs whose critical path is known: each function is one, between two barriers. Work is counted in
 * units, all of the same number of instructions; what a rank has of each and how long the path is stands beside it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT 20000
#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int rank, size;

static void work(int units) {
    volatile double x = 1;
    for (long i = 0; i < (long)units * UNIT; i++)
        x = x * 1.0000001 + 1e-9;
}

static void get(int from) {
    int token;
    MPI_Recv(&token, 1, MPI_INT, from, 7, WORLD, IGNORE);
}

static void give(int to) {
    int token = rank;
    MPI_Send(&token, 1, MPI_INT, to, 7, WORLD);
}

/* 3 rounds: divided, one after another, on all: busy 3 (2 + 1 + 1), path 3 (2 + P + 1). */
static void chain(void) {
    for (int i = 0; i < 3; i++) {
        work(2);
        if (rank > 0)
            get(rank - 1);
        work(1);
        if (rank < size - 1)
            give(rank + 1);
        MPI_Barrier(WORLD);
        work(1);
    }
}

/* Rank 1 has three times the work: path 3 * 3. */
static void one_late(void) {
    for (int i = 0; i < 3; i++) {
        work(rank == 1 ? 3 : 1);
        MPI_Barrier(WORLD);
    }
}

/* Rank 0 is late, then rank 1, equal in sum: path 2 * 4. */
static void alternating(void) {
    for (int i = 0; i < 4; i++) {
        work(rank == i % 2 ? 2 : 1);
        MPI_Barrier(WORLD);
    }
}

/* Items pass all ranks in turn: path P + items - 1. */
static void pipeline(int items) {
    for (int i = 0; i < items; i++) {
        if (rank > 0)
            get(rank - 1);
        work(1);
        if (rank < size - 1)
            give(rank + 1);
    }
}

static void full_pipeline(void) {
    pipeline(6);
}

static void empty_pipeline(void) {
    pipeline(1);
}

/* Sweeps from a corner of a grid of two rows: path columns + 1 + sweeps - 1. */
static void wavefront(void) {
    int columns = size / 2, row = rank / columns, column = rank % columns;
    for (int i = 0; i < 3; i++) {
        if (row > 0)
            get(rank - columns);
        if (column > 0)
            get(rank - 1);
        work(1);
        if (row < 1)
            give(rank + columns);
        if (column < columns - 1)
            give(rank + 1);
    }
}

/* Neighbours' messages are awaited after work of one's own; rank 0 sends its late. */
static void overlap(int before, int meanwhile) {
    int sent[2] = {rank, rank}, received[2];
    MPI_Request requests[4];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    work(rank == 0 ? before : 0);
    MPI_Irecv(&received[0], 1, MPI_INT, left, 1, WORLD, &requests[0]);
    MPI_Irecv(&received[1], 1, MPI_INT, right, 2, WORLD, &requests[1]);
    MPI_Isend(&sent[0], 1, MPI_INT, right, 1, WORLD, &requests[2]);
    MPI_Isend(&sent[1], 1, MPI_INT, left, 2, WORLD, &requests[3]);
    work(rank == 0 ? 0 : meanwhile);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    work(1);
}

/* 3 are hidden behind 4: path 4 + 1. */
static void hidden(void) {
    overlap(3, 4);
}

/* 1 of 3 is not hidden behind 2: path 3 + 1. */
static void exposed(void) {
    overlap(3, 2);
}

/* The root of a broadcast is late: path 3 + 1. */
static void late_root(void) {
    int value = 0;
    work(rank == 0 ? 3 : 1);
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
    work(1);
}

/* The root is early, and waits for nobody: path 3 + 1, and not 3 + 2. */
static void early_root(void) {
    int value = 0;
    work(rank == 0 ? 1 : rank == 1 ? 3 : 2);
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
    work(rank == 0 ? 2 : 1);
}

/* A reduction to a root that works, and sends it round: path 2 + 1 + 1. */
static void root_works(void) {
    int value = rank, sum = 0;
    work(rank == 2 ? 2 : 1);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, WORLD);
    work(rank == 0);
    MPI_Bcast(&sum, 1, MPI_INT, 0, WORLD);
    work(1);
}

/* One half has twice the work, the other is late after it: path 2 + 1 and 1 + 1. */
static void halves(void) {
    MPI_Comm half;
    int value = rank, sum;
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    work(rank % 2 ? 1 : 2);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    work(1);
    MPI_Comm_free(&half);
}

/* Each needs those of lower rank: path 3, as rank 0 has 2 before the scan. */
static void lower_ranks(void) {
    int value = rank, sum;
    work(rank == 0 ? 2 : 1);
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    work(1);
}

/* The last rank is late, and no other needs it: path 2 + 1, and not 2 + 2. */
static void higher_rank(void) {
    int value = rank, sum;
    work(rank == size - 1 ? 2 : 1);
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    work(rank == size - 1 ? 1 : 2);
}

/* A collective that goes on meanwhile: rank 1's 3 are not hidden behind 1: path 3 + 1. */
static void begun(void) {
    int value = rank, sum;
    MPI_Request request;
    work(rank == 1 ? 3 : 1);
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD, &request);
    work(rank == 1 ? 0 : 1);
    MPI_Wait(&request, IGNORE);
    work(1);
}

/* Persistent requests, matched probes, anybody's messages: a token goes round, path P. */
static void token(void) {
    int sent = 0, received = 0, there = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Send_init(&sent, 1, MPI_INT, (rank + 1) % size, 3, WORLD, &request);
    if (rank % 2) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &message, &status);
        MPI_Mrecv(&received, 1, MPI_INT, &message, IGNORE);
    } else if (rank > 0) {
        while (!there)
            MPI_Iprobe(MPI_ANY_SOURCE, 3, WORLD, &there, &status);
        MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE);
    }
    work(1);
    MPI_Start(&request);
    MPI_Wait(&request, IGNORE);
    if (rank == 0)
        MPI_Recv(&received, 1, MPI_INT, size - 1, 3, WORLD, IGNORE);
    MPI_Request_free(&request);
}

/* A master hands out equal work to who asks: at least 2, at most all of it. */
static void master(void) {
    int task, left = 2 * (size - 1), none = -1;
    MPI_Status status;
    for (int stopped = 0; rank == 0 && stopped < size - 1;) {
        MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 5, WORLD, &status);
        stopped += left == 0;
        MPI_Send(left > 0 ? &left : &none, 1, MPI_INT, status.MPI_SOURCE, 6, WORLD);
        left -= left > 0;
    }
    for (task = 0; rank > 0 && task >= 0;) {
        MPI_Sendrecv(&task, 1, MPI_INT, 0, 5, NULL, 0, MPI_INT, MPI_PROC_NULL, 6, WORLD, IGNORE);
        MPI_Recv(&task, 1, MPI_INT, 0, 6, WORLD, IGNORE);
        work(task >= 0);
    }
}

int main(int argc, char **argv) {
    static void (*const shapes[])(void) = {
        chain,      one_late,    alternating, full_pipeline, empty_pipeline, wavefront, hidden, exposed, late_root,
        early_root, root_works,  halves,      lower_ranks,   higher_rank,    begun,     token,  master,
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        MPI_Barrier(WORLD);
        shapes[i]();
    }
    MPI_Barrier(WORLD);
    MPI_Finalize();
    return 0;
}
