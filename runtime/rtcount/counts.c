/* The counts and caches of each thread. SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include "caches.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

typedef enum { COUNTED, COUNTED_ALONE, STOPPED } Mode; /* alone: the caches do not see it */

typedef struct {
    Mode mode;
    struct aa_rtcount_counts counts; /* while another thread runs, or this one is stopped */
    Way *l1;
    void *l2; /* lines or tags */
    Place *places;
} Thread;

Geometry rc_l1, rc_l2;
struct aa_rtcount_counts rc_counts;
Place *rc_places;

#define MACHINE_LINE 64 /* bytes, on most machines */

static Thread *threads;
static ThreadId thread_count;
static Thread *running;

/* Where nothing is found, for a thread that is not simulated. */
static Place nowhere[1 << PLACE_BITS];
static Way *no_set;

/* ---- caches */

enum { MISSED_L1 = 1, MISSED_L2 = 2 };

/* Twin of place_of in instrument.c. */
static inline Place *place_of(UWord line) {
    return &rc_places[(line ^ line >> PLACE_BITS) & ((1 << PLACE_BITS) - 1)];
}

/* What a compiler is to know of the caches, for most of the time goes by here. */
typedef struct {
    UWord line_bits, l1_ways, way_bits, l2_vectors;
} Shape;

ALWAYS_INLINE Bool misses_l2(Shape shape, UWord line) {
    UWord number = line & (((UWord)1 << rc_l2.set_bits) - 1);
    if (!shape.l2_vectors)
        return misses_by_line((UWord *)running->l2 + number * rc_l2.ways, rc_l2.ways, line);
    UInt *set = (UInt *)running->l2 + number * LANES * shape.l2_vectors;
    return misses_by_tag(set, shape.l2_vectors, (UInt)(line >> rc_l2.set_bits));
}

/* Which caches miss a line. */
ALWAYS_INLINE UWord touch(Shape shape, UWord line, UWord now) {
    Addr start = line << shape.line_bits;
    UWord number = line & (((UWord)1 << rc_l1.set_bits) - 1), missed = 0;
    Way *set = running->l1 + 2 * number * shape.l1_ways;
    UWord way = way_of(set, shape.l1_ways, start);
    if (way == shape.l1_ways) {
        way = oldest_way(set, shape.l1_ways, shape.way_bits);
        set[way] = start;
        missed = MISSED_L1 + MISSED_L2 * (UWord)misses_l2(shape, line);
    }
    set[shape.l1_ways + way] = now;
    *place_of(line) = &set[way];
    return missed;
}

static inline void add_misses(UWord missed) {
    rc_counts.l1_misses += missed & MISSED_L1;
    rc_counts.l2_misses += missed / MISSED_L2;
}

static Shape any_shape;

/* An access across lines is one: most often L1 holds them. */
static void touch_several(UWord first, UWord last, UWord now) {
    UWord missed = 0;
    for (UWord line = first; line <= last; line++) {
        Way *way = *place_of(line);
        if (*way == line << rc_l1.line_bits)
            way[rc_l1.ways] = now;
        else
            missed |= touch(any_shape, line, now);
    }
    add_misses(missed);
}

ALWAYS_INLINE void access(Shape shape, Addr address, UWord numbered_size) {
    if (running->mode != COUNTED)
        return;
    UWord now = rc_counts.accesses + (numbered_size >> SIZE_BITS);
    UWord size = numbered_size & ((1 << SIZE_BITS) - 1);
    UWord first = address >> shape.line_bits, last = (address + size - 1) >> shape.line_bits;
    if (first == last)
        add_misses(touch(shape, first, now));
    else
        touch_several(first, last, now);
}

#define ACCESS(name, ...)                                                                                    \
    static VG_REGPARM(2) void name(Addr address, UWord numbered_size) {                                      \
        access((Shape)__VA_ARGS__, address, numbered_size);                                                  \
    }

/* Usual caches. */
ACCESS(access_8_8, {6, 8, 3, 2})
ACCESS(access_8_16, {6, 8, 3, 4})
ACCESS(access_12_16, {6, 12, 4, 4})
ACCESS(access_12_20, {6, 12, 4, 5})

static VG_REGPARM(2) void access_any(Addr address, UWord numbered_size) {
    access(any_shape, address, numbered_size);
}

Access *rc_access = access_any;

void rc_choose_access(void) {
    static const struct {
        UWord l1_ways, l2_ways;
        Access *access;
    } usual[] = {{8, 8, access_8_8}, {8, 16, access_8_16}, {12, 16, access_12_16}, {12, 20, access_12_20}};
    any_shape = (Shape){rc_l1.line_bits, rc_l1.ways, rc_l1.way_bits, vectors_of(&rc_l2)};
    for (UWord i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (rc_l1.line_bits == 6 && any_shape.l2_vectors && usual[i].l1_ways == rc_l1.ways &&
            usual[i].l2_ways == rc_l2.ways)
            rc_access = usual[i].access;
    }
}

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

/* Zeros, where a line of the machine begins. */
static void *lines_of(SizeT bytes) {
    UWord start = (UWord)VG_(calloc)("rtcount.cache", bytes + MACHINE_LINE, 1);
    return (void *)((start + MACHINE_LINE - 1) & ~(UWord)(MACHINE_LINE - 1));
}

static SizeT bytes_of_l1(void) {
    return 2 * sizeof(Way) * rc_l1.ways << rc_l1.set_bits;
}

static SizeT bytes_of_l2(void) {
    return sizeof(UWord) * rc_l2.ways << rc_l2.set_bits;
}

/* No line in any cache. */
static void empty(Thread *thread) {
    VG_(memset)(thread->l1, 0, bytes_of_l1());
    VG_(memset)(thread->l2, 0, bytes_of_l2());
    for (UWord i = 0; i < 1 << PLACE_BITS; i++)
        thread->places[i] = nowhere[i] = no_set;
}

static void make_caches(Thread *thread) {
    if (!no_set)
        no_set = lines_of(2 * sizeof(Way) * rc_l1.ways);
    thread->l1 = lines_of(bytes_of_l1());
    thread->l2 = lines_of(bytes_of_l2());
    thread->places = lines_of(sizeof nowhere);
    empty(thread);
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
    if (!running->l1)
        make_caches(running);
    rc_counts = running->counts;
    choose_places();
}

/* A number is used again once its thread has ended. */
void rc_thread_starts(ThreadId id) {
    make_room(id);
    Thread *thread = threads + id;
    if (thread->l1)
        empty(thread);
    thread->mode = COUNTED;
    VG_(memset)(&thread->counts, 0, sizeof thread->counts);
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
