/*
 * Which metrics the samples of timelines contain: all, or those under "record" in the JSON file that
 * AUTOANALYZER_POLICY names, which another program may replace during the run. Omitted metrics are still in
 * the profile, except for processor events, which are no longer counted.
 */
#ifndef AA_POLICY_H
#define AA_POLICY_H

#include "clock.h"

#include <stdint.h>

/* Reads the environment; called once, when the library is loaded. */
void aa_policy_load(void);

/*
 * Returns the values to record in samples, one bit each in the order of a sample's values (shard.h). Checks
 * the file from time to time. now: the current ticks. The caller holds the shard's lock.
 */
uint64_t aa_policy_now(uint64_t now);

/* Returns the values of a metric, one bit each; 0 if there is no metric with this name. */
uint64_t aa_policy_values(const char *name, size_t length);

#endif
