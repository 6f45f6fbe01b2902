/* Whether the process is recorded; creates the shard and fills its header. */
#ifndef AA_PROCESS_H
#define AA_PROCESS_H

#include "shard.h"

/* Returns whether regions should be recorded; false without AUTOANALYZER_SHARDS, and after a failure. */
bool aa_process_records(void);

/*
 * Registers two functions: one is called before a fork, the other in the child, after it has forgotten the
 * parent's shard.
 */
void aa_process_forks(void (*before)(void), void (*in_child)(void));

/* Returns the shard, which the first call creates; null if this fails. The caller holds the shard's lock. */
struct aa_header *aa_process_shard(void);

/* Returns the shard; null if nothing is recorded, or nothing has been recorded yet. */
struct aa_header *aa_process_recorded(void);

#endif
