/*
 * Time lines: at the first event after an interval has passed, a thread records a sample of everything
 * since its last one, by metric and by call path. Between events there are no samples, so a long period
 * without an event is one long sample.
 *
 * Samples are stored in chunks of the shard, in half of the memory that AUTOANALYZER_TRACE_MEMORY allows.
 * When that half is full, pairs of samples are merged into the other half, and the interval doubles. What
 * has happened since the last sample is the difference between the nodes and all samples; the reader adds
 * it.
 */
#ifndef AA_TRACE_H
#define AA_TRACE_H

#include "shard.h"

/*
 * Reads the environment; called once, when the library is loaded. Without AUTOANALYZER_TRACE there are no
 * samples.
 */
void aa_trace_load(void);

/* Returns how many bytes of the shard samples may use. */
uint64_t aa_trace_room(void);

/* Writes the interval into the shard's header. */
void aa_trace_describe(struct aa_header *header);

/*
 * Begins the time line of a thread that has got a tree. Its first sample begins now, and includes what
 * earlier threads with this tree did after the last sample. is_first: the thread begins with the process.
 */
void aa_trace_begin(struct aa_thread *thread, bool is_first);

/* Ends the time line of the calling thread, which gives its tree back. */
void aa_trace_end(const struct aa_thread *thread);

/*
 * Takes a sample if the interval is over, and sets when this is to be called next. Called if thread->due
 * has passed, after the time until then was booked. That is also due regularly between samples, so that the
 * CPU clock is read: no watch shows time that a hypervisor takes.
 */
void aa_trace_take(struct aa_thread *thread);

/* Forgets all samples, in the child of a fork: they are in the parent's shard. */
void aa_trace_forget(void);

/* Returns whether aa_trace_take is to be called. now: the current ticks. */
static inline bool aa_trace_is_due(const struct aa_thread *thread, uint64_t now) {
    return now >= thread->due;
}

#endif
