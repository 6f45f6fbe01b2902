/*
 * Call paths known to be too short to measure: an earlier run has throttled them, and this run is compared
 * with it. AUTOANALYZER_SHORT_PATHS names a file of their hashes. Throttling them changes this run's time,
 * but no count of the paths into which they are folded.
 */
#ifndef AA_SHORT_PATHS_H
#define AA_SHORT_PATHS_H

#include "shard.h"

#include <stdbool.h>

/* Read from the environment when the library is loaded. */
void aa_short_paths_load(void);

/* Whether the path of a node is one of them. */
bool aa_is_short_path(const struct aa_node *node);

#endif
