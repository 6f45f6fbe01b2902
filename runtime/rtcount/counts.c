/* The counts and caches of each thread. SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef enum { COUNTED, COUNTED_ALONE, STOPPED } Mode; /* COUNTED_ALONE: caches are not simulated */

typedef struct {
    Mode mode;
    struct aa_rtcount_counts counts; /* kept here while another thread runs, or this thread is stopped */
    Strings strings;                 /* like all following fields, kept here while another thread runs */
    UWord control;
    Caches caches;
    Place *places;
    Branches *branches;
} Thread;

Geometry rc_l1, rc_l2, rc_l3, rc_tlb;
struct aa_rtcount_counts rc_counts;
Place *rc_places;
Caches rc_caches;
Strings rc_strings;
UWord rc_events, rc_control;

#define MACHINE_LINE 64 /* bytes per cache line on most machines */

static Thread *threads;
static ThreadId thread_count;
static Thread *running;

/* Empty places and sets, for a thread that is not simulated. */
static Place nowhere[1 << PLACE_BITS];
static Way *no_set;
static Branches unseen;

/* ---- threads */

static void make_room(ThreadId thread) {
    if (thread < thread_count)
        return;
    ThreadId count = 2 * thread + 2;
    UWord place = running ? running - threads : 0;
    threads = VG_(realloc)("rtcount.threads", threads, count * sizeof *threads);
    VG_(memset)(threads + thread_count, 0, (count - thread_count) * sizeof *threads);
    if (running)
        running = threads + place;
    thread_count = count;
}

static void put_aside(Thread *thread) {
    if (thread->mode != STOPPED)
        thread->counts = rc_counts;
}

/* Allocates zeroed memory that begins at the start of a cache line of the machine. */
static void *lines_of(SizeT bytes) {
    UWord start = (UWord)VG_(calloc)("rtcount.cache", bytes + MACHINE_LINE, 1);
    return (void *)((start + MACHINE_LINE - 1) & ~(UWord)(MACHINE_LINE - 1));
}

static SizeT bytes_of_l1(void) {
    return 2 * sizeof(Way) * rc_l1.ways << rc_l1.set_bits;
}

static SizeT bytes_of(const Geometry *cache) {
    return sizeof(UWord) * cache->ways << cache->set_bits;
}

/* Empties the caches of a thread. */
static void empty(Thread *thread) {
    VG_(memset)(thread->caches.l1, 0, bytes_of_l1());
    VG_(memset)(thread->caches.l2, 0, bytes_of(&rc_l2));
    if (thread->caches.l3)
        VG_(memset)(thread->caches.l3, 0, bytes_of(&rc_l3));
    if (thread->caches.tlb)
        VG_(memset)(thread->caches.tlb, 0, bytes_of(&rc_tlb));
    VG_(memset)(thread->branches, 0, sizeof *thread->branches);
    for (UWord i = 0; i < 1 << PLACE_BITS; i++)
        thread->places[i] = nowhere[i] = no_set;
}

static void make_caches(Thread *thread) {
    if (!no_set)
        no_set = lines_of(2 * sizeof(Way) * rc_l1.ways);
    thread->caches.l1 = lines_of(bytes_of_l1());
    thread->caches.l2 = lines_of(bytes_of(&rc_l2));
    if (rc_counts_event(AA_RTCOUNT_L3_MISSES))
        thread->caches.l3 = lines_of(bytes_of(&rc_l3));
    if (rc_counts_event(AA_RTCOUNT_TLB_MISSES))
        thread->caches.tlb = lines_of(bytes_of(&rc_tlb));
    thread->places = lines_of(sizeof nowhere);
    thread->branches = lines_of(sizeof *thread->branches);
    empty(thread);
}

static void choose_caches(void) {
    Bool is_simulated = running->mode == COUNTED;
    rc_places = is_simulated ? running->places : nowhere;
    rc_caches = is_simulated ? running->caches : (Caches){NULL};
    rc_branches = is_simulated ? running->branches : &unseen;
}

void rc_thread_runs(ThreadId id) {
    if (id < thread_count && running == threads + id)
        return;
    make_room(id);
    if (running) {
        put_aside(running);
        running->strings = rc_strings;
        running->control = rc_control;
    }
    running = threads + id;
    if (!running->caches.l1)
        make_caches(running);
    rc_counts = running->counts;
    rc_strings = running->strings;
    rc_control = running->control;
    choose_caches();
}

/* Resets the data of this number, because Valgrind reuses the numbers of threads that have ended. */
void rc_thread_starts(ThreadId id) {
    make_room(id);
    Thread *thread = threads + id;
    if (thread->caches.l1)
        empty(thread);
    thread->mode = COUNTED;
    VG_(memset)(&thread->counts, 0, sizeof thread->counts);
    thread->strings = (Strings){{0, 0}};
    if (running == thread)
        running = NULL;
}

void rc_thread_is_made(ThreadId parent, ThreadId id) {
    make_room(parent > id ? parent : id);
    threads[id].control = running == threads + parent ? rc_control : threads[parent].control;
}

void rc_stop(void) {
    put_aside(running);
    running->mode = STOPPED;
    choose_caches();
}

const struct aa_rtcount_counts *rc_stopped_counts(void) {
    return &running->counts;
}

void rc_go(Bool simulate) {
    if (running->mode == STOPPED)
        rc_counts = running->counts;
    running->mode = simulate ? COUNTED : COUNTED_ALONE;
    choose_caches();
}
