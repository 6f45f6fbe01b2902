/*
 * Timelines: at the first event after an interval has passed, a thread records a sample of everything since
 * its last sample, by metric and call path. There are no samples between events, so a long period without an
 * event is one long sample.
 *
 * Samples are stored in chunks of the shard, in half of the memory that AUTOANALYZER_TRACE_MEMORY allows.
 * When that half is full, pairs of samples are merged into the other half, and the interval doubles. The
 * reader adds everything since the last sample: the difference between the nodes' values and the sum of all
 * samples.
 */
#ifndef AA_TRACE_H
#define AA_TRACE_H

#include "shard.h"

/*
 * Reads the environment; called once, when the library is loaded. Without AUTOANALYZER_TRACE, no samples are
 * taken.
 */
void aa_trace_load(void);

/* Returns the number of bytes of the shard that samples may use. */
uint64_t aa_trace_room(void);

/* Writes the interval to the shard's header. */
void aa_trace_describe(struct aa_header *header);

/*
 * Begins the timeline of a thread that has just received a tree. The first sample begins now, and includes
 * the activity of earlier threads with this tree after the last sample. is_first: whether the thread begins
 * with the process.
 */
void aa_trace_begin(struct aa_thread *thread, bool is_first);

/* Ends the timeline of the calling thread, which is about to return its tree. */
void aa_trace_end(const struct aa_thread *thread);

/*
 * Takes a sample if the interval is over, and sets the time of the next call. Called when thread->due has
 * passed, after the time up to then was booked. Calls are also due regularly between samples, so that the CPU
 * clock is read, because no watch shows the time that a hypervisor takes.
 */
void aa_trace_take(struct aa_thread *thread);

/* Forgets all samples in the child of a fork, because they are in the parent's shard. */
void aa_trace_forget(void);

/* Returns whether aa_trace_take must be called. now: the current ticks. */
static inline bool aa_trace_is_due(const struct aa_thread *thread, uint64_t now) {
    return now >= thread->due;
}

#endif
