/*
 * What threads execute, counted by a source that AUTOANALYZER_COUNTERS names:
 *
 *   none       nothing is counted
 *   simulated  rtcount, a Valgrind tool, counts what it executes
 *   papi       the processor counts, read by PAPI; papi:EVENT,EVENT counts these events, too
 *   auto       papi, without a word if it counts nothing
 *
 * With AUTOANALYZER_COUNT_IN=mpi,io or one of them, events of PAPI are counted in calls of MPI and of file
 * I/O alone, and regions cost what they cost where nothing is counted.
 *
 * Otherwise the library stops the thread's counters whenever it is called, adds to the node what was counted
 * since it let them go, and lets them go when it returns. Nothing of this stands in the way of an event that
 * is not counted: while counters run, every event takes the slow path.
 */
#ifndef AA_COUNTER_H
#define AA_COUNTER_H

#include "counter_source.h"
#include "shard.h"

/* There is a source, and it counts wherever a thread is. */
extern bool aa_counting;

/* And need not stop for that. */
extern bool aa_counter_goes_on;

/* The calls in which alone it counts, AA_COUNTS_IN_MPI and AA_COUNTS_IN_IO; 0: there are none such. */
extern uint32_t aa_counted_calls;

/* Choose the source; its counts begin here for the thread that loads the library. */
void aa_counter_load(void);

/* Something is recorded: open a source that was left alone till then. */
void aa_counter_open(void);

/* Begin anew, in the child of a fork. */
void aa_counter_restart(void);

/* Record in the shard how the counts are taken; warn if they were requested but are unavailable. */
void aa_counter_describe(struct aa_header *header);

/* A thread begins: from when the library was loaded, or from now on; false: its counters do not start. It
 * ends. */
bool aa_counter_begin(struct aa_thread *thread, bool since_load);
void aa_counter_end(void);

/* Add the counts before the last stop to the node; or drop them. */
void aa_counter_book(struct aa_thread *thread);
void aa_counter_skip(struct aa_thread *thread);

/* Add the counts until now, in the program's own code, to the node, while counters continue. */
void aa_counter_book_going(struct aa_thread *thread);

/* The thread changes its share: if the old or the new one is a counted call, add its counts. */
void aa_counter_turn_slowly(struct aa_thread *thread, uint32_t to);

static inline void aa_counter_turn(struct aa_thread *thread, uint32_t to) {
    if (aa_unlikely(aa_counted_calls))
        aa_counter_turn_slowly(thread, to);
}

/* Count only these from now on in the thread, a bit of enum aa_counter each. */
void aa_counter_choose(struct aa_thread *thread, uint32_t counters);

/* From now on, subtract this from each interval: what the library's own events execute. */
void aa_counter_leave_out(const uint64_t bias[AA_COUNTED]);

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
