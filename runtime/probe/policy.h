/*
 * The metrics in samples of time lines: all, or those under "record" in the JSON file that
 * AUTOANALYZER_POLICY names, which another program may replace while the program runs. Metrics left out of
 * the samples are still in the profile, except for processor events, which stop being counted.
 */
#ifndef AA_POLICY_H
#define AA_POLICY_H

#include "clock.h"

#include <stdint.h>

/* Read from the environment when the library is loaded. */
void aa_policy_load(void);

/* The values of samples, a bit each, that are to be recorded now; the file is looked at now and then. The
 * shard's lock is held. */
uint64_t aa_policy_now(uint64_t now);

/* The values that make up a metric; 0: there is no such metric. */
uint64_t aa_policy_values(const char *name, size_t length);

#endif
