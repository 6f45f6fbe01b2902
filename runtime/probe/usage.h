/*
 * System use of threads, on request: AUTOANALYZER_USAGE names metrics, at most as many as a node has
 * places for events that the user names. They use these places from the last one on.
 *
 *   page_faults, system_time …       are read at each event, like counters
 *   energy, dram_energy              as well, but once a millisecond, and by one process per node
 *   allocated_bytes, allocations …   are reported by the library in malloc/, and cost events nothing
 *
 * If none is named and nothing else is counted, page_faults and system_time are read together with the CPU
 * clock: a reading takes a third of a microsecond, every 2 ms, and every 0.2 ms while there are many
 * faults. If the thread is in no call, its use since the last reading goes to the current node, multiplied
 * by the share of that time that it spent outside calls. If the thread is in a call, the next reading is
 * due after 0.2 ms; otherwise readings would mostly fall into long calls, and miss what short code between
 * them uses. After two readings in calls, it is due after 2 ms: programs that are mostly in calls would read
 * ten times as often.
 */
#ifndef AA_USAGE_H
#define AA_USAGE_H

#include "shard.h"

void aa_usage_load(void);

/* The child of a fork leaves the node's metrics to its parent. */
void aa_usage_forked(void);

/* Returns how many places are used. */
int aa_usage_places(void);

/*
 * Whether the metric in this place excludes calls of MPI, OpenMP and file I/O, because their CPU time
 * contains their system time.
 */
bool aa_usage_is_of_own_code(int place);

/* Whether anything is read at events. */
bool aa_usage_is_asked(void);

/* A thread begins: readings are compared with this moment. */
void aa_usage_begin(const struct aa_thread *thread);

/* The time until now is booked: adds the use since the last reading to the node. */
void aa_usage_look(struct aa_thread *thread);

/* Returns the factor by which the ticks until the next reading should be fewer. */
unsigned aa_usage_haste(void);

/* Reads the calling thread's use until now, into the places of the metrics that are read at events. */
void aa_usage_ask(uint64_t counts[AA_COUNTED]);

/* counts: whether anything else is counted. */
void aa_usage_describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH], bool counts);

/* Returns null, or which named metrics are not counted, and why. */
const char *aa_usage_lack(void);

#endif
