/*
 * Client requests from the probe library to rtcount, the Valgrind tool that counts; it answers them with 1.
 * Under other tools, and outside of Valgrind, the answer is 0. The tool includes this file.
 */
#ifndef AA_COUNTER_REQUESTS_H
#define AA_COUNTER_REQUESTS_H

#define AA_RTCOUNT_VERSION 2u
#define AA_RTCOUNT_BASE (((unsigned)'r' << 24) | ((unsigned)'t' << 16))

enum aa_rtcount_request {
    AA_RTCOUNT_DESCRIBE = AA_RTCOUNT_BASE, /* (struct aa_rtcount_description *) */
    AA_RTCOUNT_LEAVE_OUT, /* (start, length): code that is not counted, wherever it is called */
    AA_RTCOUNT_STOP,      /* (struct aa_rtcount_counts *): the thread's counts; it is not counted */
    AA_RTCOUNT_GO,        /* (simulate): it is counted again; the caches only see it if asked to */
    AA_RTCOUNT_BOOK /* (struct aa_rtcount_row *into, *before, *bias): add what was counted since before, and
                       begin there anew, while it goes on being counted */
};

/* One cache; sizes in bytes. */
struct aa_rtcount_cache {
    unsigned long long size, ways, line;
};

struct aa_rtcount_description {
    unsigned long long version;
    struct aa_rtcount_cache l1, l2;
};

/* Of one thread, since it started. An access to L2 is a miss in L1. */
struct aa_rtcount_counts {
    unsigned long long instructions, accesses, l1_misses, l2_misses;
};

/* The first of the counts of a node, by enum aa_counter of shard.h. */
struct aa_rtcount_row {
    unsigned long long instructions, cycles, accesses, l1_misses, l2_accesses, l2_misses;
};

#endif
