/*
 * Counts of what threads execute, from the source that AUTOANALYZER_COUNTERS names:
 *
 *   none       nothing is counted
 *   simulated  rtcount, a Valgrind tool, counts the instructions that it executes
 *   papi       the processor counts, read by PAPI; papi:EVENT,EVENT counts these events, too
 *   auto       papi, silently nothing if it is unavailable
 *
 * With AUTOANALYZER_COUNT_IN=mpi, io or mpi,io, events of PAPI are counted only in calls of MPI, of file
 * I/O, or of both; regions then cost no more than without counting.
 *
 * Otherwise the library stops the thread's counters whenever it is called, adds the counts since their
 * last start to the node, and starts them again when it returns. Events that are not counted are not
 * slowed down: while counters run, every event takes the slow path.
 */
#ifndef AA_COUNTER_H
#define AA_COUNTER_H

#include "counter_source.h"
#include "shard.h"

/* There is a source, and it counts everywhere in the program. */
extern bool aa_counting;

/* Counters need not stop for events. */
extern bool aa_counter_goes_on;

/* The calls to which counting is restricted, AA_COUNTS_IN_MPI and AA_COUNTS_IN_IO; 0: it is not. */
extern uint32_t aa_counted_calls;

/* Chooses the source, and begins to count in the thread that loads the library. */
void aa_counter_load(void);

/* Something is recorded: opens a source whose opening was delayed until then. */
void aa_counter_open(void);

/* Starts again, in the child of a fork. */
void aa_counter_restart(void);

/* Records in the shard how the counts are taken; warns if they were requested but are unavailable. */
void aa_counter_describe(struct aa_header *header);

/*
 * A thread begins, counting since the library was loaded or since now; returns false if its counters do
 * not start. A thread ends.
 */
bool aa_counter_begin(struct aa_thread *thread, bool since_load);
void aa_counter_end(void);

/* Adds the counts before the last stop to the node; or drops them. */
void aa_counter_book(struct aa_thread *thread);
void aa_counter_skip(struct aa_thread *thread);

/* Adds the counts until now, in the program's own code, to the node, while counters continue. */
void aa_counter_book_going(struct aa_thread *thread);

/* The thread changes its share: if the old or the new one is a counted call, adds its counts. */
void aa_counter_turn_slowly(struct aa_thread *thread, uint32_t to);

static inline void aa_counter_turn(struct aa_thread *thread, uint32_t to) {
    if (aa_unlikely(aa_counted_calls))
        aa_counter_turn_slowly(thread, to);
}

/* From now on, counts only these in the thread, given as bits of enum aa_counter. */
void aa_counter_choose(struct aa_thread *thread, uint32_t counters);

/* From now on, subtracts this from each interval: the counts of the library's own events. */
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
