/* Whether the process is recorded, and the shard's header. */
#ifndef AA_PROCESS_H
#define AA_PROCESS_H

#include "shard.h"

/* Whether regions should be recorded: false without AUTOANALYZER_SHARDS, and after a failure. */
bool aa_process_records(void);

/*
 * Registers what threads do at a fork: before it, and in the child, which forgets everything except the
 * open regions.
 */
void aa_process_forks(void (*before)(void), void (*in_child)(void));

/*
 * Returns the shard, created at the first call; null if that is impossible. The caller holds the shard's
 * lock.
 */
struct aa_header *aa_process_shard(void);

/* Returns the shard; null if nothing is recorded, or nothing yet. */
struct aa_header *aa_process_recorded(void);

#endif
