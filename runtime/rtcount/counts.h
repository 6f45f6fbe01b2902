/* What is counted of the thread that runs, and the caches that it sees. SPDX-License-Identifier:
 * GPL-2.0-or-later */
#ifndef RTCOUNT_COUNTS_H
#define RTCOUNT_COUNTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "branches.h"
#include "counter_requests.h"

#define LARGEST_L1_BITS 12

/*
 * A set-associative cache that replaces the line which was not used for longest, and takes in what is written
 * as what is read. There is no prefetch; L1 and L2 know nothing of each other.
 */
typedef struct {
    UWord line_bits, set_bits, set_mask, ways, way_bits; /* of a way's number */
} Geometry;

extern Geometry rc_l1, rc_l2;

/*
 * A line in L1: where it starts. The ways of a set follow each other; behind them stand, in the same order,
 * the numbers of the last accesses to them. 0: there is none.
 */
typedef Addr Way;

/* Those of the running thread; null where it is not simulated. L2's lines, or their tags. */
typedef struct {
    Way *l1;
    void *l2;
} Caches;

extern Caches rc_caches;

/* The counts of the running thread, to which translated code adds. */
extern struct aa_rtcount_counts rc_counts;

/* Which events are counted, a bit each; what the running thread has set of FTZ and DAZ in MXCSR. */
extern UWord rc_events, rc_control;

static inline Bool rc_counts_event(enum aa_rtcount_event event) {
    return rc_events >> event & 1;
}

/*
 * The lines that a repeated string instruction of the running thread accessed last, of either string; 0: it
 * has not begun.
 */
typedef struct {
    Addr lines[2];
} Strings;

extern Strings rc_strings;

/*
 * Where L1 holds a line, if it does: at that way there may be another line by now. The place follows from the
 * line's address. Translated code looks here first, and marks what it finds as used.
 */
typedef Way *Place;

#define PLACE_BITS 11
#define LOG_PLACE 3 /* of its size */
extern Place *rc_places;

/*
 * An access to data that was not found by its place: its size, and above SIZE_BITS how many accesses it and
 * those before it are that rc_counts has not got yet.
 */
#define SIZE_BITS 16
typedef VG_REGPARM(2) void Access(Addr address, UWord numbered_size);
extern Access *rc_access;

/* Once rc_l1 and rc_l2 are known; with AVX2 where the processor has it, and it is not to be done without. */
void rc_choose_access(Bool avx2);

/* Null: there is none. */
Access *rc_access_avx2(void);

/* A thread runs from now on; each has caches of its own, as if alone on a core. */
void rc_thread_runs(ThreadId thread);
void rc_thread_starts(ThreadId thread);
void rc_thread_is_made(ThreadId parent, ThreadId thread);

/* Not counted: its counts stay what they are at the first call until it goes on. */
void rc_stop(void);
void rc_go(Bool simulate);
const struct aa_rtcount_counts *rc_stopped_counts(void);

#endif
