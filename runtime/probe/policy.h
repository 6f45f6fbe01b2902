/*
 * The metrics in samples of time lines: all, or those under "record" in the JSON file that
 * AUTOANALYZER_POLICY names. Another program may replace that file while this one runs. Metrics left out
 * of samples are still in the profile, except for processor events, which are no longer counted.
 */
#ifndef AA_POLICY_H
#define AA_POLICY_H

#include "clock.h"

#include <stdint.h>

/* Reads the environment when the library is loaded. */
void aa_policy_load(void);

/*
 * Returns the values to be recorded in samples, one bit each; checks the file from time to time. The
 * caller holds the shard's lock.
 */
uint64_t aa_policy_now(uint64_t now);

/* Returns the values that make up a metric; 0 if there is no such metric. */
uint64_t aa_policy_values(const char *name, size_t length);

#endif
