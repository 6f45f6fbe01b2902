/*
 * Threads' use of the system, on request. AUTOANALYZER_USAGE names the metrics. They use a node's places for
 * events that the user names, beginning with the last place, so their number is limited.
 *
 *   page_faults, system_time …       are read at each event, like counters
 *   energy, dram_energy              are read at events, once per millisecond, by one process per node
 *   allocated_bytes, allocations …   are reported by the library in malloc/, and cost events nothing
 *
 * If no metric is named and nothing else is counted, page_faults and system_time are read together with the
 * CPU clock. A reading takes a third of a microsecond, every 2 ms, or every 0.2 ms while there are many page
 * faults. If the thread is not in a call, its use since the last reading goes to the current node, multiplied
 * by the share of this time that the thread spent outside calls. If the thread is in a call, the next reading
 * is due after 0.2 ms. Otherwise, most readings would be in long calls, and miss the use by short code
 * between them. After two readings in calls, the next reading is due after 2 ms, because programs that are
 * mostly in calls would otherwise read ten times as often.
 */
#ifndef AA_USAGE_H
#define AA_USAGE_H

#include "shard.h"

/* Reads AUTOANALYZER_USAGE; called once, when the library is loaded. */
void aa_usage_load(void);

/* Forgets all readings in the child of a fork, which leaves the node's energy to its parent. */
void aa_usage_forked(void);

/* Returns the number of used places among those for events that the user names. */
int aa_usage_places(void);

/*
 * Returns whether the metric in this place excludes calls of MPI, OpenMP and file I/O, because these calls'
 * CPU time contains their system time. place: an enum aa_counter.
 */
bool aa_usage_is_of_own_code(int place);

/* Returns whether anything is read at every event. */
bool aa_usage_is_asked(void);

/* Begins the readings of the calling thread. The next reading adds the use since this moment. */
void aa_usage_begin(const struct aa_thread *thread);

/*
 * Adds the use of the system since the last reading to the thread's current node, if page faults and system
 * time are read together with the CPU clock. The caller has booked the time up to now. If `thread` is null,
 * the values are only read.
 */
void aa_usage_look(struct aa_thread *thread);

/* Returns the factor, 1 or 10, by which the interval until the next reading should be shorter than usual. */
unsigned aa_usage_haste(void);

/* Stores the calling thread's use up to now in the places of the metrics that are read at every event. */
void aa_usage_ask(uint64_t counts[AA_COUNTED]);

/* Writes the source of each metric that is counted. counts: whether anything else is counted. */
void aa_usage_describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH], bool counts);

/* Returns null, or a message about which named metrics are not counted, and why. */
const char *aa_usage_lack(void);

#endif
