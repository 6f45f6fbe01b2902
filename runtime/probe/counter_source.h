/* The interface between counter.c and the sources of counts. */
#ifndef AA_COUNTER_SOURCE_H
#define AA_COUNTER_SOURCE_H

#include "shard.h"

/*
 * A source of counts. Counts belong to the calling thread, only increase, and are indexed by enum
 * aa_counter.
 */
struct aa_counter_source {
    const char *name;
    bool has_events; /* whether AA_EVENTS and the following entries are counts of the program's own code */
    /* Prepares for counting; returns null, or the reason for a failure. unasked: whether the source was
     * chosen without being requested. calls: the flags AA_COUNTS_IN_MPI and AA_COUNTS_IN_IO if counting is
     * restricted to these calls, otherwise 0. */
    const char *(*load)(bool unasked, uint32_t calls);
    /* Writes the source of each counter that is counted, for the shard's header. */
    void (*describe)(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]);
    /* Returns null, or a message about requested events that cannot be counted. May be null. */
    const char *(*lack)(void);
    /* Starts counting in the calling thread unless it already counts; returns false if that fails. */
    bool (*attach)(void);
    void (*detach)(void);
    /* Stops counting if the source can, and stores the counts up to now. */
    void (*stop)(uint64_t counts[AA_COUNTED]);
    /* Adds the counts since the last call, minus a bias, without stopping. May be null. */
    void (*book)(uint64_t *into, uint64_t *before, const uint64_t *bias);
    /* Resumes counting. in_mpi: whether the MPI or OpenMP library is running, for which rtcount does not
     * simulate caches. */
    void (*go)(bool in_mpi);
    void (*forked)(void); /* called in the child of a fork; may be null */
    /* Returns the flags AA_COUNTS_BY_… that show how events are counted. May be null. */
    uint32_t (*how)(void);
    /* Restricts the calling thread to these counters, one bit each; returns whether this changes anything.
     * May be null. */
    bool (*choose)(uint32_t counters);
};

extern const struct aa_counter_source aa_counter_simulated, aa_counter_papi;

#endif
