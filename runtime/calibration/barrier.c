#define _GNU_SOURCE
#include "barrier.h"
#include "work.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Number of polls after which a thread yields its core, because the awaited thread may need that core. */
enum { PATIENCE = 1000 };

/* Two counters in separate cache lines; threads poll one and change the other, as in libgomp. */
struct meeting {
    _Alignas(64) _Atomic int awaited;
    _Alignas(64) _Atomic unsigned number;
    _Alignas(64) int threads;
    _Atomic bool is_over;
};

struct member {
    pthread_t thread;
    struct meeting *meeting;
    int processor;
};

/* Waits until all threads have arrived, or until the measurement is over. */
static void meet(struct meeting *meeting) {
    unsigned number = atomic_load(&meeting->number);
    if (atomic_fetch_sub(&meeting->awaited, 1) == 1) {
        atomic_store(&meeting->awaited, meeting->threads);
        atomic_store(&meeting->number, number + 1);
        return;
    }
    for (int polls = 1; atomic_load(&meeting->number) == number && !atomic_load(&meeting->is_over); polls++)
        if (polls % PATIENCE == 0)
            sched_yield();
}

static void *take_part(void *argument) {
    const struct member *member = argument;
    aa_stay_on(member->processor);
    while (!atomic_load(&member->meeting->is_over))
        meet(member->meeting);
    return NULL;
}

static void meet_often(void *meeting, uint64_t times) {
    for (uint64_t t = 0; t < times; t++)
        meet(meeting);
}

double aa_barrier(const struct aa_cores *cores) {
    static struct meeting meeting;
    struct aa_work work = {.clock = CLOCK_MONOTONIC, .run = meet_often, .state = &meeting};
    struct member *members = calloc((size_t)cores->number, sizeof *members);
    pthread_attr_t small;
    if (!members || cores->number == 1 || pthread_attr_init(&small) ||
        pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN))
        return 0;
    meeting.awaited = meeting.threads = cores->number;
    for (int i = 1; i < cores->number; i++) {
        members[i] = (struct member){.meeting = &meeting, .processor = cores->processors[i]};
        if (pthread_create(&members[i].thread, &small, take_part, &members[i]))
            return 0; /* waiting threads end with the process */
    }
    aa_stay_on(cores->processors[0]);
    aa_sample(&work);
    atomic_store(&meeting.is_over, true); /* releases threads that are still waiting at the barrier */
    for (int i = 1; i < cores->number; i++)
        pthread_join(members[i].thread, NULL);
    free(members);
    return work.seconds;
}
