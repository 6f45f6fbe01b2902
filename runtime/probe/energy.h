/*
 * Energy of the node's processors and memory, as counted by Intel and AMD processors (RAPL). It is read from
 * files in /sys/class/powercap, which usually only root may read, or in the folder that AUTOANALYZER_POWERCAP
 * names; if they cannot be read, from the kernel's "power" PMU events. Because the counters cover the whole
 * node, only the process with the lowest local rank reads them.
 */
#ifndef AA_ENERGY_H
#define AA_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

enum aa_energy_domain { AA_PACKAGES, AA_DRAM, AA_ENERGY_DOMAINS };

/* Opens the counters of a domain; returns null, or the reason why the domain has no counters. */
const char *aa_energy_open(enum aa_energy_domain domain);

/* Returns the method, which is the same for both domains: "powercap" or "perf". */
const char *aa_energy_source(void);

/* Returns whether this process is the first rank on its node, and may therefore count for the node. */
bool aa_energy_is_counted_here(void);

/*
 * Returns whether this process counts for its node; false while another process that counts, such as a
 * measured parent, still runs.
 */
bool aa_energy_claim(void);

/* Reads the counters, unless they were read less than a millisecond ago, because they do not change more
 * often. */
void aa_energy_ask(void);
/* Returns the microjoules counted between aa_energy_open and the last reading. */
uint64_t aa_energy_of(enum aa_energy_domain domain);

#endif
