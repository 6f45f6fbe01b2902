#define _GNU_SOURCE
#include "stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/*
 * On a busy machine, other programs disturb many rounds, so there must be many. A round takes much longer
 * than starting its threads.
 */
enum { ROUNDS = 100, LEAST_ROUNDS = 5 };
static const double most_seconds = 1;

struct walker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    struct aa_stream stream;
    uint64_t bytes;
    int processor, failed;
    const int *go_on;
    double start, end;
};

int aa_make_stream(struct aa_stream *stream, uint64_t bytes) {
    *stream = (struct aa_stream){.length = bytes / AA_STREAM_BYTES};
    size_t size = stream->length * sizeof(double);
    if (posix_memalign((void **)&stream->sum, 4096, size) ||
        posix_memalign((void **)&stream->first, 4096, size) ||
        posix_memalign((void **)&stream->second, 4096, size)) {
        aa_end_stream(stream);
        return -1;
    }
    for (uint64_t i = 0; i < stream->length; i++) {
        stream->sum[i] = 0;
        stream->first[i] = 1;
        stream->second[i] = (double)i;
    }
    return 0;
}

void aa_end_stream(struct aa_stream *stream) {
    free(stream->sum);
    free(stream->first);
    free(stream->second);
    *stream = (struct aa_stream){0};
}

static void add(double *restrict sum, const double *restrict first, const double *restrict second,
                uint64_t length) {
    for (uint64_t i = 0; i < length; i++)
        sum[i] = first[i] + 3 * second[i];
}

void aa_walk_stream(void *state, uint64_t times) {
    struct aa_stream *stream = state;
    while (times) {
        uint64_t at = stream->next, left = stream->length - at, some = times < left ? times : left;
        add(stream->sum + at, stream->first + at, stream->second + at, some);
        stream->next = (at + some) % stream->length;
        times -= some;
    }
    aa_result = stream->sum[0];
}

/*
 * Each thread touches its own memory first, because the first access determines the NUMA node of the
 * memory.
 */
static void *walk_in_rounds(void *argument) {
    struct walker *walker = argument;
    aa_stay_on(walker->processor);
    walker->failed = aa_make_stream(&walker->stream, walker->bytes);
    pthread_barrier_wait(walker->barrier);
    for (;;) {
        pthread_barrier_wait(walker->barrier);
        if (!*walker->go_on)
            break;
        walker->start = aa_now(CLOCK_MONOTONIC);
        aa_walk_stream(&walker->stream, walker->stream.length);
        walker->end = aa_now(CLOCK_MONOTONIC);
        pthread_barrier_wait(walker->barrier);
    }
    aa_end_stream(&walker->stream);
    return NULL;
}

/* Returns the seconds from the first start to the last end; 0 if a thread got no memory. */
static double span(const struct walker *walkers, int number) {
    double start = walkers->start, end = walkers->end;
    for (int i = 0; i < number; i++) {
        if (walkers[i].failed)
            return 0;
        start = walkers[i].start < start ? walkers[i].start : start;
        end = walkers[i].end > end ? walkers[i].end : end;
    }
    return end - start;
}

static int any_failed(const struct walker *walkers, int number) {
    int failed = 0;
    for (int i = 0; i < number; i++)
        failed |= walkers[i].failed;
    return failed;
}

static double best_round(struct walker *walkers, int number, pthread_barrier_t *barrier, int *go_on) {
    double best = 0, begin = aa_now(CLOCK_MONOTONIC);
    pthread_barrier_wait(barrier);
    *go_on = !any_failed(walkers, number);
    for (int round = 0; *go_on; round++) {
        pthread_barrier_wait(barrier);
        pthread_barrier_wait(barrier);
        double seconds = span(walkers, number);
        best = best == 0 || seconds < best ? seconds : best;
        *go_on = round < ROUNDS && (round < LEAST_ROUNDS || aa_now(CLOCK_MONOTONIC) - begin < most_seconds);
    }
    pthread_barrier_wait(barrier);
    return best;
}

double aa_shared_stream(const struct aa_cores *cores, uint64_t bytes) {
    struct walker *walkers = calloc((size_t)cores->number, sizeof *walkers);
    pthread_barrier_t barrier;
    int go_on = 0;
    uint64_t share = bytes / (uint64_t)cores->number;
    if (!walkers || pthread_barrier_init(&barrier, NULL, (unsigned)cores->number + 1))
        return 0;
    for (int i = 0; i < cores->number; i++) {
        walkers[i] = (struct walker){
            .barrier = &barrier, .bytes = share, .processor = cores->processors[i], .go_on = &go_on};
        if (pthread_create(&walkers[i].thread, NULL, walk_in_rounds, &walkers[i]))
            return 0; /* waiting threads end with the process */
    }
    double seconds = best_round(walkers, cores->number, &barrier, &go_on);
    for (int i = 0; i < cores->number; i++)
        pthread_join(walkers[i].thread, NULL);
    return seconds / (double)(share / AA_STREAM_BYTES * AA_STREAM_BYTES);
}
