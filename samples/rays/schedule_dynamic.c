/* Dynamic: a worker gets one shot at a time, and its answer asks for the next. Deep shots, which take long,
   go first, so that the workers end together. */
#include "schedule.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

#include "memory.h"
#include "propagate.h"

enum { MASTER = 0, SHOT_TAG, TIME_TAG };

/* What the master knows of its workers; worker w, counted from 0, is rank w + 1. */
struct desk {
    int workers;
    double lead;          /* how much more than the least served a worker may have been given */
    double *given;        /* the floors of the shots that a worker was given, summed: about their cost */
    MPI_Request *answers; /* pending, or MPI_REQUEST_NULL if the worker is idle */
};

static struct desk desk_open(const struct shot *shots, int count) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct desk desk = {.workers = size - 1};
    for (int i = 0; i < count; i++) {
        desk.lead += 0.02 * shots[i].floor / desk.workers;
    }
    desk.given = allocate(desk.workers, sizeof *desk.given);
    desk.answers = allocate(desk.workers, sizeof *desk.answers);
    for (int w = 0; w < desk.workers; w++) {
        desk.answers[w] = MPI_REQUEST_NULL;
    }
    return desk;
}

static void desk_close(struct desk *desk) {
    for (int w = 0; w < desk->workers; w++) {
        MPI_Send(NULL, 0, MPI_BYTE, w + 1, SHOT_TAG, MPI_COMM_WORLD);
    }
    free(desk->answers);
    free(desk->given);
}

/* A worker with a quicker processor waits for the others rather than doing their work: that keeps the shares
   even on a shared machine. The least served is never ahead, so there is always somebody to serve. */
static bool is_ahead(const struct desk *desk, int worker) {
    double least = desk->given[worker];
    for (int w = 0; w < desk->workers; w++) {
        least = fmin(least, desk->given[w]);
    }
    return desk->given[worker] > least + desk->lead;
}

static void give(struct desk *desk, int worker, struct shot *shot, double *time) {
    desk->given[worker] += shot->floor;
    MPI_Irecv(time, 1, MPI_DOUBLE, worker + 1, TIME_TAG, MPI_COMM_WORLD, &desk->answers[worker]);
    MPI_Send(shot, sizeof *shot, MPI_BYTE, worker + 1, SHOT_TAG, MPI_COMM_WORLD);
}

void hand_out(struct shot *shots, int count, double *times) {
    struct desk desk = desk_open(shots, count);
    int waiting = count;
    for (int answered = 0; answered < count; answered++) {
        for (int w = 0; w < desk.workers && waiting > 0; w++) {
            if (desk.answers[w] == MPI_REQUEST_NULL && !is_ahead(&desk, w)) {
                waiting--;
                give(&desk, w, &shots[waiting], &times[waiting]);
            }
        }
        int worker;
        MPI_Waitany(desk.workers, desk.answers, &worker, MPI_STATUS_IGNORE);
    }
    desk_close(&desk);
}

/* False once the master has none left. */
static bool receive_shot(struct shot *shot) {
    MPI_Status status;
    int bytes;
    MPI_Recv(shot, sizeof *shot, MPI_BYTE, MASTER, SHOT_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes > 0;
}

void work(const struct model *model, int count, int rays) {
    struct shot shot;
    (void)count;
    while (receive_shot(&shot)) {
        double time = propagate(model, &shot, rays);
        MPI_Send(&time, 1, MPI_DOUBLE, MASTER, TIME_TAG, MPI_COMM_WORLD);
    }
}
