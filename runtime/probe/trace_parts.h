/*
 * Shared by the files for time lines: the amounts since a thread's last sample (trace_sample.c), samples
 * in chunks of the shard (trace_chunk.c), and the times of samples (trace.c). The caller holds the shard's
 * lock.
 */
#ifndef AA_TRACE_PARTS_H
#define AA_TRACE_PARTS_H

#include "shard.h"

#define AA_TRACE_LONGEST 3600.0   /* seconds: the longest interval between samples */
#define AA_TRACE_MOST_PARTS 1024u /* parts of a sample: the longest ones; the others are added up */

/* A thread's values at its last sample, per node. */
struct aa_seen {
    const struct aa_node *node;
    uint64_t values[AA_NODE_VALUES];
};

/* Data about a tree, even if several threads use it one after the other. */
struct aa_time_line {
    uint64_t begin;  /* of the next sample */
    bool is_sampled; /* no thread uses the tree, and its last sample is up to date */
    struct {
        uint64_t interval; /* the interval of the thread's samples; 0: none yet */
        uint64_t since;
        uint64_t spent; /* nanoseconds of CPU time: waiting for a core, or for the shard, does not count */
        uint32_t samples;
    } cost;
    struct aa_record *record; /* the last record that was searched for nodes */
    struct aa_seen *seen;
    uint64_t count, room;
    uint64_t recorded;                 /* the values that the next sample has */
    uint64_t system[AA_SYSTEM_VALUES]; /* the thread's values at its last sample */
    uint64_t former[AA_SYSTEM_VALUES]; /* the increase since then in threads that used the tree before */
    const struct aa_sample *unpaired;  /* while samples are merged */
};

/* The first two fields are set before there are other threads. */
struct aa_trace {
    double seconds; /* 0: no samples */
    uint64_t memory;
    _Atomic uint64_t interval; /* ticks */
};

extern struct aa_trace aa_trace;

static inline uint32_t aa_trace_place_of(const void *record) {
    return (uint32_t)(((const char *)record - (const char *)aa_shard()) / AA_SHARD_ALIGNMENT);
}

/* Finds new nodes of the thread; false if there is no memory for them. */
bool aa_trace_find_nodes(struct aa_thread *thread, struct aa_time_line *line);

/* Adds up the increase in all nodes, and makes a part for each node. */
void aa_trace_sum_nodes(struct aa_time_line *line, struct aa_sample *sample, uint64_t *totals,
                        struct aa_part *parts);

/* Adds a part to a sample; adds one part to another one. */
void aa_trace_add_part(struct aa_sample *sample, struct aa_part *parts, struct aa_part part);
void aa_trace_add_to(struct aa_part *part, const struct aa_part *other);

/* Reads the system's current values, of those recorded; adds the increase since the last reading. */
void aa_trace_ask_system(const struct aa_thread *thread, uint64_t recorded, uint64_t now[AA_SYSTEM_VALUES]);
void aa_trace_add_system(const struct aa_thread *thread, struct aa_time_line *line, uint64_t *passed);

/* Removes the values that are not recorded, from one sample or from now on. */
void aa_trace_leave_out(uint64_t recorded, uint64_t *totals);
void aa_trace_record(struct aa_thread *thread, struct aa_time_line *line, uint64_t recorded);

/* Returns memory for the parts of a sample until it is stored; null without memory. */
struct aa_part *aa_trace_scratch(void);
void aa_trace_keep(struct aa_header *header, struct aa_sample *head, const uint64_t *totals,
                   const struct aa_part *parts);

/* From now on, samples are taken half as often. */
void aa_trace_lengthen_interval(struct aa_header *header);

/* In the child of a fork, which has its own shard. */
void aa_trace_forget_chunks(void);

#endif
