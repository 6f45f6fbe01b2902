/*
 * What threads use of the system, on request: AUTOANALYZER_USAGE names metrics, at most as many as there are
 * places in a node for events that the user names. They take these from the last one on.
 *
 *   page_faults, context_switches …  are asked for at each event, as counters are
 *   energy, dram_energy              as well, but once a millisecond, and by one process of a node
 *   allocated_bytes, allocations …   are told by the library in malloc/, and cost events nothing
 */
#ifndef AA_USAGE_H
#define AA_USAGE_H

#include "shard.h"

void aa_usage_load(void);

/* The child of a fork leaves what the node uses to its parent. */
void aa_usage_forked(void);

/* How many places are taken. */
int aa_usage_places(void);

/* Whether anything is asked for at events. */
bool aa_usage_is_asked(void);

/* What has been used until now, in the places of what is asked for: of the calling thread. */
void aa_usage_ask(uint64_t counts[AA_COUNTED]);

void aa_usage_describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]);

/* Null, or what was named and is not counted, and why. */
const char *aa_usage_lack(void);

#endif
