/*
 * Call paths that a counting run does not measure, because the timed run has throttled them.
 * AUTOANALYZER_SHORT_PATHS names a file with their hashes. Throttling them changes the time of the counting
 * run, but not the counts of the call paths to which their time goes.
 */
#ifndef AA_SHORT_PATHS_H
#define AA_SHORT_PATHS_H

#include "shard.h"

#include <stdbool.h>

/* Reads the file that the environment names; called once, when the library is loaded. */
void aa_short_paths_load(void);

/* Returns whether the timed run has throttled a node's call path. */
bool aa_is_short_path(const struct aa_node *node);

#endif
