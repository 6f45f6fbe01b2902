/*
 * Declarations that the files for timelines share: trace_sample.c computes the changes since a thread's last
 * sample, trace_chunk.c stores samples in chunks of the shard, and trace.c decides when to take a sample. The
 * caller of any of these functions holds the shard's lock.
 */
#ifndef AA_TRACE_PARTS_H
#define AA_TRACE_PARTS_H

#include "shard.h"

#define AA_TRACE_LONGEST 3600.0   /* seconds: the longest interval between samples */
#define AA_TRACE_MOST_PARTS 1024u /* maximum number of parts in a sample; the shortest parts are combined */

/* A thread's values at its last sample, per node. */
struct aa_seen {
    const struct aa_node *node;
    uint64_t values[AA_NODE_VALUES];
};

/* The timeline of a tree, even if several threads use the tree one after the other. */
struct aa_time_line {
    uint64_t begin;  /* when the next sample begins, in ticks */
    bool is_sampled; /* whether no thread uses the tree, and its last sample is up to date */
    struct {
        uint64_t interval; /* the interval of the samples whose cost is recorded here; 0: no samples yet */
        /* ticks when these samples began */
        uint64_t since;
        /*
         * nanoseconds of CPU time to take these samples, without waiting for a core or for the shard
         */
        uint64_t spent;
        /* number of these samples */
        uint32_t samples;
    } cost;
    struct aa_record *record; /* the last record of the shard that was searched for nodes */
    struct aa_seen *seen;
    uint64_t count, room;
    uint64_t recorded;                 /* the values that the next sample records, one bit each */
    uint64_t system[AA_SYSTEM_VALUES]; /* the thread's values at its last sample */
    uint64_t former[AA_SYSTEM_VALUES]; /* their increase since then by earlier threads with this tree */
    /* the thread's last sample without a partner, while pairs are merged */
    const struct aa_sample *unpaired;
};

/* The settings. The first two fields are set before there are other threads. */
struct aa_trace {
    double seconds; /* initial interval between samples in seconds; 0: no samples */
    /* bytes that samples may use */
    uint64_t memory;
    _Atomic uint64_t interval; /* current interval between samples in ticks */
};

extern struct aa_trace aa_trace;

/* Returns the offset of a record in the shard, divided by 64. */
static inline uint32_t aa_trace_place_of(const void *record) {
    return (uint32_t)(((const char *)record - (const char *)aa_shard()) / AA_SHARD_ALIGNMENT);
}

/* Adds the thread's new nodes to its timeline; returns false if there is no memory for them. */
bool aa_trace_find_nodes(struct aa_thread *thread, struct aa_time_line *line);

/*
 * Adds the increase in all nodes since the last sample to the totals, and creates a part for each node that
 * has changed.
 */
void aa_trace_sum_nodes(struct aa_time_line *line, struct aa_sample *sample, uint64_t *totals,
                        struct aa_part *parts);

/* Adds a part to a sample; if there are too many parts, first combines the shortest ones. */
void aa_trace_add_part(struct aa_sample *sample, struct aa_part *parts, struct aa_part part);
/* Adds the time and the visits of one part to another. */
void aa_trace_add_to(struct aa_part *part, const struct aa_part *other);

/* Reads the system's current values for the calling thread; values that are not recorded are 0. */
void aa_trace_ask_system(const struct aa_thread *thread, uint64_t recorded, uint64_t now[AA_SYSTEM_VALUES]);
/* Adds the increase of these values since the last reading to `passed`. */
void aa_trace_add_system(const struct aa_thread *thread, struct aa_time_line *line, uint64_t *passed);

/* Sets the totals that are not recorded to 0. */
void aa_trace_leave_out(uint64_t recorded, uint64_t *totals);
/* From the next sample on, records other values. */
void aa_trace_record(struct aa_thread *thread, struct aa_time_line *line, uint64_t recorded);

/* Returns memory for the parts of one sample until it is stored; null if there is none. */
struct aa_part *aa_trace_scratch(void);
/* Stores a sample in the shard, after merging pairs of samples if there is no space. */
void aa_trace_keep(struct aa_header *header, struct aa_sample *head, const uint64_t *totals,
                   const struct aa_part *parts);

/* Doubles the interval between samples, up to an hour. */
void aa_trace_lengthen_interval(struct aa_header *header);

/* Forgets all chunks in the child of a fork, because they are in the parent's shard. */
void aa_trace_forget_chunks(void);

#endif
