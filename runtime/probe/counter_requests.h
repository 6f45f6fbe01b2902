/*
 * Client requests from the probe library to rtcount, the Valgrind tool that counts; the tool also includes
 * this header. rtcount answers each request with 1. Outside Valgrind, and under its other tools, the answer
 * is 0.
 */
#ifndef AA_COUNTER_REQUESTS_H
#define AA_COUNTER_REQUESTS_H

#define AA_RTCOUNT_VERSION 4u
#define AA_RTCOUNT_BASE (((unsigned)'r' << 24) | ((unsigned)'t' << 16))

enum aa_rtcount_request {
    AA_RTCOUNT_DESCRIBE = AA_RTCOUNT_BASE, /* (struct aa_rtcount_description *): fills it in */
    AA_RTCOUNT_LEAVE_OUT,                  /* (start, length): excludes this code from counting */
    AA_RTCOUNT_STOP, /* (struct aa_rtcount_counts *): stores the thread's counts and stops counting */
    AA_RTCOUNT_GO,   /* (simulate): counts again; the caches are only simulated if requested */
    /* (struct aa_rtcount_row *into, *before, *bias): adds the counts since `before` to `into`, and updates
     * `before`, without stopping */
    AA_RTCOUNT_BOOK
};

/* Further events, each counted only if an option of the tool requests it. */
enum aa_rtcount_event {
    AA_RTCOUNT_DIVISIONS, /* instructions that divide or take square roots */
    AA_RTCOUNT_BRANCHES,  /* conditional branches */
    AA_RTCOUNT_BRANCH_MISSES,
    AA_RTCOUNT_DENORMALS,  /* instructions whose operand or result is a denormal number */
    AA_RTCOUNT_L3_MISSES,  /* accesses that miss in L1, L2 and L3 */
    AA_RTCOUNT_TLB_MISSES, /* accesses that miss in L1, to a page that is not in the TLB */
    AA_RTCOUNT_EVENTS
};

/*
 * The names of these events and of their metrics; the same as SIMULATED_EVENTS in
 * runtime/simulated_events.py.
 */
#define AA_RTCOUNT_EVENT_NAMES                                                                               \
    { "divisions", "branches", "branch_misses", "denormals", "l3_misses", "tlb_misses" }

/* One cache; sizes are in bytes. A TLB is a cache of pages; its size is the total size of these pages. */
struct aa_rtcount_cache {
    unsigned long long size, ways, line;
};

struct aa_rtcount_description {
    unsigned long long version;
    struct aa_rtcount_cache l1, l2, l3, tlb;
    unsigned long long events; /* the events that are counted, one bit each */
};

/* The counts of one thread since its start. An access to L2 is a miss in L1. */
struct aa_rtcount_counts {
    unsigned long long instructions, accesses, l1_misses, l2_misses, events[AA_RTCOUNT_EVENTS];
};

/* The first counts of a node, in the order of enum aa_counter in shard.h. */
struct aa_rtcount_row {
    unsigned long long instructions, cycles, accesses, l1_misses, l2_accesses, l2_misses;
    unsigned long long events[AA_RTCOUNT_EVENTS];
};

#endif
