/* The counts and caches of each thread. SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef enum { COUNTED, COUNTED_ALONE, STOPPED } Mode; /* alone: the caches do not see it */

typedef struct {
    Mode mode;
    struct aa_rtcount_counts counts; /* while another thread runs, or this one is stopped */
    UWord *l1, *l2;                  /* the lines of each set, the one used last first; 0: none */
} Thread;

Geometry rc_l1, rc_l2;
struct aa_rtcount_counts rc_counts;
UWord rc_latest[1 << LARGEST_L1_BITS];

static Thread *threads;
static ThreadId thread_count;
static Thread *running;

/* ---- caches */

/* Whether the line was missed. It moves to the front of its set; those before it, or all, make room. */
static inline __attribute__((always_inline)) Bool move_to_front(UWord *set, UWord ways, UWord line) {
    UWord moved = line;
#pragma GCC unroll 16
    for (UWord way = 0; way < ways; way++) {
        UWord here = set[way];
        set[way] = moved;
        if (here == line)
            return False;
        moved = here;
    }
    return True;
}

/* Usual numbers of ways are known to the compiler, for most of the time goes by here. */
static inline Bool look_up(const Geometry *cache, UWord *lines, UWord line) {
    UWord *set = lines + (line & (((UWord)1 << cache->set_bits) - 1)) * cache->ways;
    switch (cache->ways) {
    case 8:
        return move_to_front(set, 8, line);
    case 12:
        return move_to_front(set, 12, line);
    case 16:
        return move_to_front(set, 16, line);
    default:
        return move_to_front(set, cache->ways, line);
    }
}

VG_REGPARM(2) void rc_access(Addr address, UWord size) {
    if (running->mode != COUNTED)
        return;
    Bool missed_l1 = False, missed_l2 = False;
    for (UWord line = address >> rc_l1.line_bits; line <= (address + size - 1) >> rc_l1.line_bits; line++) {
        rc_latest[line & (((UWord)1 << rc_l1.set_bits) - 1)] = line;
        if (look_up(&rc_l1, running->l1, line)) {
            missed_l1 = True;
            missed_l2 |= look_up(&rc_l2, running->l2, line);
        }
    }
    rc_counts.l1_misses += missed_l1;
    rc_counts.l2_misses += missed_l2;
}

/* ---- threads */

static UWord *empty_cache(const Geometry *cache) {
    return VG_(calloc)("rtcount.cache", cache->ways << cache->set_bits, sizeof(UWord));
}

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

static void take_up(Thread *thread) {
    rc_counts = thread->counts;
    for (UWord set = 0; set < (UWord)1 << rc_l1.set_bits; set++)
        rc_latest[set] = thread->l1[set * rc_l1.ways];
}

void rc_thread_runs(ThreadId id) {
    if (id < thread_count && running == threads + id)
        return;
    make_room(id);
    if (running)
        put_aside(running);
    running = threads + id;
    if (!running->l1) {
        running->l1 = empty_cache(&rc_l1);
        running->l2 = empty_cache(&rc_l2);
    }
    take_up(running);
}

/* A number is used again once its thread has ended. */
void rc_thread_starts(ThreadId id) {
    make_room(id);
    Thread *thread = threads + id;
    if (!thread->l1)
        return;
    VG_(free)(thread->l1);
    VG_(free)(thread->l2);
    VG_(memset)(thread, 0, sizeof *thread);
    if (running == thread)
        running = NULL;
}

void rc_stop(void) {
    put_aside(running);
    running->mode = STOPPED;
}

const struct aa_rtcount_counts *rc_stopped_counts(void) {
    return &running->counts;
}

void rc_go(Bool simulate) {
    if (running->mode == STOPPED)
        rc_counts = running->counts;
    running->mode = simulate ? COUNTED : COUNTED_ALONE;
}
