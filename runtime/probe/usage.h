/*
 * What threads use of the system, on request: AUTOANALYZER_USAGE names metrics, at most as many as there are
 * places in a node for events that the user names. They take these from the last one on.
 *
 *   page_faults, system_time …       are asked for at each event, as counters are
 *   energy, dram_energy              as well, but once a millisecond, and by one process of a node
 *   allocated_bytes, allocations …   are told by the library in malloc/, and cost events nothing
 *
 * Where it names none, and nothing else is counted, page_faults and system_time are looked at when the CPU
 * clock is: a look takes a third of a microsecond, every 2 ms, and every 0.2 ms while there are many faults.
 * If the thread is in no call, what it has used since the last look goes to the current node, multiplied by
 * the share of the time since then that it spent outside of calls.
 * The next look is due after 0.2 ms if the thread is in a call: else long calls would take one look after the
 * other, and what short code between them uses.
 */
#ifndef AA_USAGE_H
#define AA_USAGE_H

#include "shard.h"

void aa_usage_load(void);

/* The child of a fork leaves what the node uses to its parent. */
void aa_usage_forked(void);

/* How many places are taken. */
int aa_usage_places(void);

/* Whether the metric in this place leaves out calls of MPI, OpenMP and file I/O: the CPU time in these
 * contains the system time that they take. */
bool aa_usage_is_of_own_code(int place);

/* Whether anything is asked for at events. */
bool aa_usage_is_asked(void);

/* A thread begins: looks compare with this moment. */
void aa_usage_begin(const struct aa_thread *thread);

/* The time until now is booked: add what was used since the last look to the node. */
void aa_usage_look(struct aa_thread *thread);

/* Ticks until the next look are to be fewer, by this factor. */
unsigned aa_usage_haste(void);

/* What has been used until now, in the places of what is asked for: of the calling thread. */
void aa_usage_ask(uint64_t counts[AA_COUNTED]);

/* Counts: whether anything else is counted. */
void aa_usage_describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH], bool counts);

/* Null, or what was named and is not counted, and why. */
const char *aa_usage_lack(void);

#endif
