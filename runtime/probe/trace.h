/*
 * Time lines: at the first event after the interval has passed, a thread records a sample of everything
 * since its last one, by metric and by call path. Between events there are no samples, so a long period
 * without an event is one long sample.
 *
 * Samples are in chunks of the shard, in half of the memory that AUTOANALYZER_TRACE_MEMORY allows. When
 * that is full, pairs of samples are merged into the other half, and the interval doubles. The time since
 * the last sample is what the nodes contain beyond the samples; the reader adds it.
 */
#ifndef AA_TRACE_H
#define AA_TRACE_H

#include "shard.h"

/* Reads the environment when the library is loaded; without AUTOANALYZER_TRACE there are no samples. */
void aa_trace_load(void);

/* Returns how many bytes of the shard samples may use. */
uint64_t aa_trace_room(void);

/* Writes the interval into the shard. */
void aa_trace_describe(struct aa_header *header);

/*
 * A thread begins: its first sample begins with it, and includes what earlier threads with its tree did
 * since the last sample. The first thread begins with the process.
 */
void aa_trace_begin(struct aa_thread *thread, bool is_first);

/* The calling thread ends, and returns its tree. */
void aa_trace_end(const struct aa_thread *thread);

/*
 * The thread's clock has reached due: books the time until now, by the CPU clock, which is read regularly
 * because time taken by a hypervisor triggers no watch. Takes a sample if its interval is over.
 */
void aa_trace_take(struct aa_thread *thread);

/* In the child of a fork, which has its own shard. */
void aa_trace_forget(void);

static inline bool aa_trace_is_due(const struct aa_thread *thread, uint64_t now) {
    return now >= thread->due;
}

#endif
