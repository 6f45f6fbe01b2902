/* A source of counts for counter.c. */
#ifndef AA_COUNTER_SOURCE_H
#define AA_COUNTER_SOURCE_H

#include "shard.h"

/*
 * A source of counts. Counts belong to the calling thread, only increase, and are indexed by enum
 * aa_counter.
 */
struct aa_counter_source {
    const char *name;
    bool has_events; /* the entries for events that the user names hold counts of the program's own code */
    /*
     * Returns null, or why it cannot count. unasked: the source is tried by default. calls: the calls to
     * which counting is restricted, AA_COUNTS_IN_MPI and AA_COUNTS_IN_IO; 0 if it is not.
     */
    const char *(*load)(bool unasked, uint32_t calls);
    void (*describe)(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]);
    const char *(*lack)(void); /* null, or what was requested and cannot be counted; may be missing */
    bool (*attach)(void);      /* the calling thread, which may be attached already; false: it cannot count */
    void (*detach)(void);
    void (*stop)(uint64_t counts[AA_COUNTED]);
    /* Adds the counts since the last call, minus a bias, without stopping. May be missing. */
    void (*book)(uint64_t *into, uint64_t *before, const uint64_t *bias);
    void (*go)(bool in_mpi);
    void (*forked)(void);   /* called in the child of a fork; may be missing */
    bool (*by_turns)(void); /* whether events are multiplexed; may be missing */
    /* restricts the calling thread to these counters, one bit each; returns whether that changes anything;
     * may be missing */
    bool (*choose)(uint32_t counters);
};

extern const struct aa_counter_source aa_counter_simulated, aa_counter_papi;

#endif
