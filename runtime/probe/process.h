/* The life of the process: whether it is recorded, and the shard's header. */
#ifndef AA_PROCESS_H
#define AA_PROCESS_H

#include "shard.h"

/* Whether regions are to be recorded: false without AUTOANALYZER_SHARDS, and after a failure. */
bool aa_process_records(void);

/* The shard, created at the first call; null if that cannot be. The caller holds the shard's lock. */
struct aa_header *aa_process_shard(void);

#endif
