/* The counts and caches of each thread. SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef enum { COUNTED, COUNTED_ALONE, STOPPED } Mode; /* alone: the caches do not see it */

typedef struct {
    Mode mode;
    struct aa_rtcount_counts counts; /* while another thread runs, or this one is stopped */
    Way *l1;                         /* set by set */
    UWord *l2;                       /* the lines of each set, the one used last first; 0: none */
    Way **places;
} Thread;

Geometry rc_l1, rc_l2;
struct aa_rtcount_counts rc_counts;
Way **rc_places;

static Thread *threads;
static ThreadId thread_count;
static Thread *running;

/* Where nothing is found, for a thread that is not simulated. */
static Way *nowhere[1 << PLACE_BITS], no_way;

/* ---- caches */

static inline UWord place_of_set(const Geometry *cache, UWord line) {
    return (line & (((UWord)1 << cache->set_bits) - 1)) * cache->ways;
}

/* The way that holds a line, else the one that was not used for longest; without branches, which none
 * foresees. */
static inline __attribute__((always_inline)) Way *search(Way *set, UWord ways, Addr start) {
    Way *found = NULL, *oldest = NULL;
    UWord least = ~(UWord)0;
#pragma GCC unroll 16
    for (UWord way = 0; way < ways; way++) {
        UWord used = set[way].used;
        oldest = used < least ? &set[way] : oldest;
        least = used < least ? used : least;
        found = set[way].start == start ? &set[way] : found;
    }
    return found ? found : oldest;
}

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
static inline Way *search_l1(UWord line, Addr start) {
    Way *set = running->l1 + place_of_set(&rc_l1, line);
    switch (rc_l1.ways) {
    case 8:
        return search(set, 8, start);
    case 12:
        return search(set, 12, start);
    default:
        return search(set, rc_l1.ways, start);
    }
}

static inline Bool misses_l2(UWord line) {
    UWord *set = running->l2 + place_of_set(&rc_l2, line);
    switch (rc_l2.ways) {
    case 8:
        return move_to_front(set, 8, line);
    case 16:
        return move_to_front(set, 16, line);
    default:
        return move_to_front(set, rc_l2.ways, line);
    }
}

enum { MISSED_L1 = 1, MISSED_L2 = 2 };

/* Which caches miss the line; its place: twin of place_of in instrument.c. */
static UWord touch(UWord line, UWord now) {
    Addr start = line << rc_l1.line_bits;
    Way *way = search_l1(line, start);
    UWord missed = 0;
    if (way->start != start) {
        missed = misses_l2(line) ? MISSED_L1 | MISSED_L2 : MISSED_L1;
        way->start = start;
    }
    way->used = now;
    rc_places[(line ^ line >> PLACE_BITS) & ((1 << PLACE_BITS) - 1)] = way;
    return missed;
}

VG_REGPARM(2) void rc_access(Addr address, UWord numbered_size) {
    if (running->mode != COUNTED)
        return;
    UWord now = rc_counts.accesses + (numbered_size >> SIZE_BITS);
    UWord size = numbered_size & ((1 << SIZE_BITS) - 1);
    UWord first = address >> rc_l1.line_bits, last = (address + size - 1) >> rc_l1.line_bits;
    UWord missed = 0;
    for (UWord line = first; line <= last; line++)
        missed |= touch(line, now);
    rc_counts.l1_misses += missed & MISSED_L1;
    rc_counts.l2_misses += missed / MISSED_L2;
}

/* ---- threads */

static void *empty_cache(const Geometry *cache, SizeT line) {
    return VG_(calloc)("rtcount.cache", cache->ways << cache->set_bits, line);
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

static Way **places_without_lines(void) {
    Way **places = VG_(malloc)("rtcount.places", sizeof nowhere);
    for (UWord i = 0; i < 1 << PLACE_BITS; i++)
        places[i] = nowhere[i] = &no_way;
    return places;
}

static void choose_places(void) {
    rc_places = running->mode == COUNTED ? running->places : nowhere;
}

void rc_thread_runs(ThreadId id) {
    if (id < thread_count && running == threads + id)
        return;
    make_room(id);
    if (running)
        put_aside(running);
    running = threads + id;
    if (!running->l1) {
        running->l1 = empty_cache(&rc_l1, sizeof *running->l1);
        running->l2 = empty_cache(&rc_l2, sizeof *running->l2);
        running->places = places_without_lines();
    }
    rc_counts = running->counts;
    choose_places();
}

/* A number is used again once its thread has ended. */
void rc_thread_starts(ThreadId id) {
    make_room(id);
    Thread *thread = threads + id;
    if (!thread->l1)
        return;
    VG_(free)(thread->l1);
    VG_(free)(thread->l2);
    VG_(free)(thread->places);
    VG_(memset)(thread, 0, sizeof *thread);
    if (running == thread)
        running = NULL;
}

void rc_stop(void) {
    put_aside(running);
    running->mode = STOPPED;
    choose_places();
}

const struct aa_rtcount_counts *rc_stopped_counts(void) {
    return &running->counts;
}

void rc_go(Bool simulate) {
    if (running->mode == STOPPED)
        rc_counts = running->counts;
    running->mode = simulate ? COUNTED : COUNTED_ALONE;
    choose_places();
}
