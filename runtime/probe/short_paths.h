/*
 * Call paths that are known to be too short to be measured: a run before has throttled them, and this one is
 * compared with it. AUTOANALYZER_SHORT_PATHS names a file of their hashes; which of them it has changes what
 * a run takes, and no count of what they are folded into.
 */
#ifndef AA_SHORT_PATHS_H
#define AA_SHORT_PATHS_H

#include "shard.h"

#include <stdbool.h>

/* Read from the environment when the library is loaded. */
void aa_short_paths_load(void);

/* Whether the path that a node stands for is one of them. */
bool aa_is_short_path(const struct aa_node *node);

#endif
