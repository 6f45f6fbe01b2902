/*
 * Time lines: at an event after which the interval has passed, a thread leaves a sample of what has passed
 * since its last one, by metric, and by call path. Between events there is none: a long stretch without an
 * event is one long sample.
 *
 * Samples stand in chunks of the shard, in half of the memory that AUTOANALYZER_TRACE_MEMORY allows. When
 * that is full, pairs of samples are merged into the other half, and the interval doubles. What has passed
 * since the last sample is the rest of what the nodes hold; the reader adds it.
 */
#ifndef AA_TRACE_H
#define AA_TRACE_H

#include "shard.h"

/* Read from the environment when the library is loaded; without AUTOANALYZER_TRACE there are no samples. */
void aa_trace_load(void);

/* Bytes of the shard that samples may take. */
uint64_t aa_trace_room(void);

/* Say in the shard what the interval is. */
void aa_trace_describe(struct aa_header *header);

/* A thread begins: its first sample begins with it, or with what threads that had its tree before did since
 * the last one. The first thread is as old as the process. */
void aa_trace_begin(struct aa_thread *thread, bool is_first);

/* The calling thread ends, and gives its tree back. */
void aa_trace_end(const struct aa_thread *thread);

/* The thread's clock has reached due: the time until now is booked, as the CPU clock says, which is asked now
 * and then since what a hypervisor takes disturbs no watch. A sample is taken if its interval is over. */
void aa_trace_take(struct aa_thread *thread);

/* In the child of a fork, which has a shard of its own. */
void aa_trace_forget(void);

static inline bool aa_trace_is_due(const struct aa_thread *thread, uint64_t now) {
    return now >= thread->due;
}

#endif
