/* The counts of the running thread, and its caches. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_COUNTS_H
#define RTCOUNT_COUNTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "branches.h"
#include "counter_requests.h"

#define LARGEST_L1_BITS 12

/*
 * A set-associative cache that replaces the least recently used line, and treats writes like reads. There is
 * no prefetching; L1 and L2 are independent of each other.
 */
typedef struct {
    UWord line_bits, set_bits, set_mask, ways, way_bits; /* way_bits: the bits in a way's number */
} Geometry;

/* rc_l3 and rc_tlb are set only if their misses are counted. The TLB's lines are pages. */
extern Geometry rc_l1, rc_l2, rc_l3, rc_tlb;

/*
 * A line in L1: its start address; 0 if there is none. A set consists of its ways, followed by the number of
 * the last access to each way, in the same order.
 */
typedef Addr Way;

/* The caches of the running thread; null while it is not simulated. l2: lines or their tags; l3: lines;
 * tlb: pages. */
typedef struct {
    Way *l1;
    void *l2;
    UWord *l3, *tlb;
} Caches;

extern Caches rc_caches;

/* The counts of the running thread, to which translated code adds. */
extern struct aa_rtcount_counts rc_counts;

/* rc_events: one bit per event, whether it is counted. rc_control: the FTZ and DAZ bits of the running
 * thread's MXCSR. */
extern UWord rc_events, rc_control;

static inline Bool rc_counts_event(enum aa_rtcount_event event) {
    return rc_events >> event & 1;
}

/*
 * The last lines that a repeated string instruction of the running thread accessed, one per string; 0 if the
 * instruction has not begun.
 */
typedef struct {
    Addr lines[2];
} Strings;

extern Strings rc_strings;

/*
 * The L1 way that last contained a line; by now, it may contain another line. The index of a place is
 * computed from the line's address. Translated code first checks the place, and marks the line as used if it
 * is there.
 */
typedef Way *Place;

#define PLACE_BITS 11
#define LOG_PLACE 3 /* log2 of the size of a place */
extern Place *rc_places;

/*
 * Looks up an access that was not found by its place. numbered_size: the lowest SIZE_BITS bits contain the
 * size; the bits above contain the number of accesses, including this one, that are not yet in rc_counts.
 */
#define SIZE_BITS 16
typedef VG_REGPARM(2) void Access(Addr address, UWord numbered_size);
extern Access *rc_access;

/* Chooses rc_access, after rc_l1 and rc_l2 were set. avx2: whether to use AVX2 if the processor has it. */
void rc_choose_access(Bool avx2);

/* Returns the function for the caches with AVX2; null if the processor has no AVX2. */
Access *rc_access_avx2(void);

/*
 * Called when a thread runs, starts, or is created. Each thread has its own caches, as if it had its own
 * core.
 */
void rc_thread_runs(ThreadId thread);
void rc_thread_starts(ThreadId thread);
void rc_thread_is_made(ThreadId parent, ThreadId thread);

/* rc_stop stops counting the running thread, and rc_go resumes. rc_stopped_counts returns the thread's counts
 * at the time of the stop. */
void rc_stop(void);
void rc_go(Bool simulate);
const struct aa_rtcount_counts *rc_stopped_counts(void);

#endif
