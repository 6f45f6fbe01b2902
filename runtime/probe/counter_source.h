/* A source of counts for counter.c. */
#ifndef AA_COUNTER_SOURCE_H
#define AA_COUNTER_SOURCE_H

#include "shard.h"

/* Where counts come from. Counts are numbers that only grow, of the calling thread, by enum aa_counter. */
struct aa_counter_source {
    const char *name;
    /* Null, or why it cannot count. Unasked: it is tried by default. Calls: those in which alone it counts,
     * AA_COUNTS_IN_MPI and AA_COUNTS_IN_IO; 0: there are none such. */
    const char *(*load)(bool unasked, uint32_t calls);
    void (*describe)(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]);
    const char *(*lack)(void); /* null, or what it was asked for and does not count; may be missing */
    bool (*attach)(void); /* the calling thread, which may be attached already; false: it counts nothing */
    void (*detach)(void);
    void (*stop)(uint64_t counts[AA_COUNTED]);
    /* Add the counts since the last call, without a bias, and start again; nothing stops. May be missing. */
    void (*book)(uint64_t *into, uint64_t *before, const uint64_t *bias);
    void (*go)(bool in_mpi);
    void (*forked)(void);              /* in a child; may be missing */
    bool (*by_turns)(void);            /* whether events take turns; may be missing */
    bool (*choose)(uint32_t counters); /* in the calling thread count only these, a bit each; whether that
                                          changes anything; may be missing */
};

extern const struct aa_counter_source aa_counter_simulated, aa_counter_papi;

#endif
