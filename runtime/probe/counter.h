/*
 * Counts of what threads execute, from the source that AUTOANALYZER_COUNTERS names:
 *
 *   none       nothing is counted
 *   simulated  rtcount, a Valgrind tool, counts the instructions that it executes
 *   papi       the processor counts, and PAPI reads the counts; papi:EVENT,EVENT also counts these events
 *   auto       papi if it is available; otherwise none, without a warning
 *
 * With AUTOANALYZER_COUNT_IN=mpi, io or mpi,io, PAPI events are counted only in calls of MPI, of file I/O, or
 * of both. In this case, regions cost no more than without counting.
 *
 * Without this restriction, the library stops the thread's counters whenever it is called, adds the counts
 * since their last start to the node, and starts the counters again when it returns. Each event therefore
 * takes the slow path while counters run; without counting, events keep their full speed.
 */
#ifndef AA_COUNTER_H
#define AA_COUNTER_H

#include "counter_source.h"
#include "shard.h"

/* whether a source counts everywhere in the program, rather than only in some calls */
extern bool aa_counting;

/* whether counters are read without being stopped */
extern bool aa_counter_goes_on;

/*
 * the calls to which counting is restricted, as the flags AA_COUNTS_IN_MPI and AA_COUNTS_IN_IO; 0: no
 * restriction
 */
extern uint32_t aa_counted_calls;

/* Chooses the source, and begins to count in the thread that loads the library. */
void aa_counter_load(void);

/* Opens the source if this was postponed until something is recorded; called when the shard is created. */
void aa_counter_open(void);

/* Starts the source again in the child of a fork. */
void aa_counter_restart(void);

/* Records in the shard how the counts are taken; warns if they were requested but are unavailable. */
void aa_counter_describe(struct aa_header *header);

/*
 * Starts the counters of the calling thread; returns false if they do not start. since_load: whether the
 * thread's first interval began when the library was loaded, rather than now.
 */
bool aa_counter_begin(struct aa_thread *thread, bool since_load);
/* Stops the counters of the calling thread, which is about to end. */
void aa_counter_end(void);

/* Adds the counts between the last event and the last stop to the current node. */
void aa_counter_book(struct aa_thread *thread);
/* Drops the counts up to the last stop, because they belong to no node. */
void aa_counter_skip(struct aa_thread *thread);

/*
 * Adds the counts since the last event to the current node, without stopping the counters; only if
 * aa_counter_goes_on is true, and outside library calls.
 */
void aa_counter_book_going(struct aa_thread *thread);

/*
 * Called when the thread's time begins to go to another share, an enum aa_share with flags. If counting is
 * restricted to calls, and the old or the new share is such a call, adds the counts up to now.
 */
void aa_counter_turn_slowly(struct aa_thread *thread, uint32_t to);

static inline void aa_counter_turn(struct aa_thread *thread, uint32_t to) {
    if (aa_unlikely(aa_counted_calls))
        aa_counter_turn_slowly(thread, to);
}

/* From now on, counts only these counters in the calling thread: a bit mask, indexed by enum aa_counter. */
void aa_counter_choose(struct aa_thread *thread, uint32_t counters);

/*
 * From now on, subtracts these counts from each interval. The library itself causes them between two events.
 */
void aa_counter_leave_out(const uint64_t bias[AA_COUNTED]);

/*
 * Stop and restart the calling thread's counters, before and after the library's own work in an event.
 * Sources that cannot stop also count this work. Its usual amount is subtracted (aa_counter_leave_out). If
 * there was more work than usual (rare.h), aa_counter_go excludes all of it.
 */
void aa_counter_stop_slowly(void);
void aa_counter_go_slowly(void);

static inline void aa_counter_stop(void) {
    if (aa_unlikely(aa_counting))
        aa_counter_stop_slowly();
}

static inline void aa_counter_go(void) {
    if (aa_unlikely(aa_counting))
        aa_counter_go_slowly();
}

#endif
