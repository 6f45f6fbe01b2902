/*
 * What the parts of time lines share: what has passed in a thread (trace_sample.c), samples in chunks of the
 * shard (trace_chunk.c), and when one is taken (trace.c). The shard's lock is held.
 */
#ifndef AA_TRACE_PARTS_H
#define AA_TRACE_PARTS_H

#include "shard.h"

#define AA_TRACE_LONGEST 3600.0   /* seconds between samples */
#define AA_TRACE_MOST_PARTS 1024u /* of a sample: those that took longest; the rest of them together */

/* A thread's values at its last sample, node by node. */
struct aa_seen {
    const struct aa_node *node;
    uint64_t values[AA_NODE_VALUES];
};

/* What is known of a tree, whatever threads take it one after the other. */
struct aa_time_line {
    uint64_t begin;  /* of the next sample */
    bool is_sampled; /* nobody has the tree, and nothing passed in it since the last sample */
    struct {
        uint64_t interval; /* at which samples were taken; 0: none yet */
        uint64_t since;
        uint64_t
            spent; /* nanoseconds on a processor: a thread that waits for one, or for the shard, takes none */
        uint32_t samples;
    } cost;
    struct aa_record *record; /* the last one in which nodes were looked for */
    struct aa_seen *seen;
    uint64_t count, room;
    uint64_t recorded;                 /* the values that the next sample has */
    uint64_t system[AA_SYSTEM_VALUES]; /* what the thread had at its last sample */
    uint64_t former[AA_SYSTEM_VALUES]; /* what has passed since in threads that had the tree before */
    const struct aa_sample *unpaired;  /* while samples are merged */
};

/* The first two are set before there are threads. */
struct aa_trace {
    double seconds; /* 0: no samples */
    uint64_t memory;
    _Atomic uint64_t interval; /* ticks */
};

extern struct aa_trace aa_trace;

static inline uint32_t aa_trace_place_of(const void *record) {
    return (uint32_t)(((const char *)record - (const char *)aa_shard()) / AA_SHARD_ALIGNMENT);
}

/* Learn of new nodes of the thread; false if there is no memory for them. */
bool aa_trace_find_nodes(struct aa_thread *thread, struct aa_time_line *line);

/* What has passed in them: in all together, and of each a part. */
void aa_trace_sum_nodes(struct aa_time_line *line, struct aa_sample *sample, uint64_t *totals,
                        struct aa_part *parts);

/* One part more of a sample; what another one has, to a part. */
void aa_trace_add_part(struct aa_sample *sample, struct aa_part *parts, struct aa_part part);
void aa_trace_add_to(struct aa_part *part, const struct aa_part *other);

/* What the system says now, of these values; what has passed there since it was asked last. */
void aa_trace_ask_system(const struct aa_thread *thread, uint64_t recorded, uint64_t now[AA_SYSTEM_VALUES]);
void aa_trace_add_system(const struct aa_thread *thread, struct aa_time_line *line, uint64_t *passed);

/* Only these values are recorded: in one sample, and from now on. */
void aa_trace_leave_out(uint64_t recorded, uint64_t *totals);
void aa_trace_record(struct aa_thread *thread, struct aa_time_line *line, uint64_t recorded);

/* Room for the parts of a sample, until it is kept; null if there is no memory. */
struct aa_part *aa_trace_scratch(void);
void aa_trace_keep(struct aa_header *header, struct aa_sample *head, const uint64_t *totals,
                   const struct aa_part *parts);

/* From now on samples are taken half as often. */
void aa_trace_lengthen_interval(struct aa_header *header);

/* In the child of a fork, which has a shard of its own. */
void aa_trace_forget_chunks(void);

#endif
