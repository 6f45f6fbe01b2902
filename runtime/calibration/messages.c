/*
 * Measures messages between two ranks, on the same node and on different nodes, and prints one price per
 * line, in seconds.
 *
 *     messages [ROUNDS]
 */
#define _GNU_SOURCE
#include "work.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 8, LONG = 1 << 20, WARM = 3, LEAST = 10, ROUNDS = 16, GO_ON = 1, STOP = 0 };

/*
 * The longest and the usual time of a round for one message length, in seconds. On a busy machine, both ranks
 * run at the same time only by chance. Two virtual processors may share a core for ten seconds, and then run
 * on two cores, where a message takes three times as long. Rounds are therefore spread over time, and the
 * result is the minimum over all rounds, which is the time on a shared core.
 */
static const double most_seconds = 0.4, usual_seconds = 0.05;
static const struct timespec between_rounds = {.tv_sec = 1}, nap = {.tv_nsec = 2000000};

static char *bytes;

static void answer(int first, int length) {
    do {
        MPI_Recv(bytes, length, MPI_CHAR, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(bytes, length, MPI_CHAR, first, 0, MPI_COMM_WORLD);
    } while (bytes[0] != STOP);
}

static void exchange(int other, int length, int times) {
    for (int i = 0; i < times; i++) {
        MPI_Send(bytes, length, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        MPI_Recv(bytes, length, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/*
 * Returns the seconds that a message takes in one direction: the minimum of many samples. If the mean of the
 * samples is more than twice the minimum, other programs disturbed them, and more samples are taken.
 */
static double best(int other, int length, int times) {
    double least = 0, total = 0, start = aa_now(CLOCK_MONOTONIC), now = start;
    bytes[0] = GO_ON;
    exchange(other, length, WARM);
    for (int i = 0; i < LEAST || now - start < (total > 2 * least * i ? most_seconds : usual_seconds); i++) {
        double before = aa_now(CLOCK_MONOTONIC);
        exchange(other, length, times);
        now = aa_now(CLOCK_MONOTONIC);
        total += now - before;
        if (least == 0 || now - before < least)
            least = now - before;
    }
    bytes[0] = STOP;
    exchange(other, length, 1);
    return least / (2.0 * times);
}

static double lower(double one, double other) {
    return one > 0 && one < other ? one : other;
}

static void measure(int rank, int other, const char *across, int rounds) {
    double few = 0, longer = 0;
    for (int round = 0; round < rounds; round++) {
        if (round)
            nanosleep(&between_rounds, NULL);
        if (rank == other) {
            answer(0, FEW);
            answer(0, LONG);
        } else if (rank == 0) {
            few = lower(few, best(other, FEW, 50));
            longer = lower(longer, best(other, LONG, 1));
        }
    }
    if (rank)
        return;
    printf("price mpi_call%s %.4g\n", across, few);
    printf("price mpi_byte%s %.4g\n", across, (longer > few ? longer - few : longer) / (LONG - FEW));
}

/* Idle ranks sleep, because polling would disturb the ranks that measure. */
static void wait_for_all(void) {
    MPI_Request request;
    int done = 0;
    for (MPI_Ibarrier(MPI_COMM_WORLD, &request); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}

int main(int arguments, char **words) {
    char host[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME] = "";
    int rank, size, length, same, partners[2];
    MPI_Init(&arguments, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bytes = calloc(1, LONG);
    if (!bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Get_processor_name(host, &length);
    memcpy(first, host, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    same = !strcmp(first, host);
    /* The lowest rank other than 0 on rank 0's node, and the lowest rank on any other node. */
    int own[2] = {rank && same ? rank : size, rank && !same ? rank : size};
    MPI_Allreduce(own, partners, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        if (partners[i] < size)
            measure(rank, partners[i], i ? "_across" : "", arguments == 2 ? atoi(words[1]) : ROUNDS);
        wait_for_all();
    }
    if (!rank)
        printf("ranks %d\n", size);
    free(bytes);
    MPI_Finalize();
    return 0;
}
