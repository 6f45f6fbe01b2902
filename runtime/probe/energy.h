/*
 * Energy of the node's processors and memory, as Intel and AMD count it (RAPL): from files in
 * /sys/class/powercap, which usually only root may read, or from the kernel's events of the "power" PMU.
 * AUTOANALYZER_POWERCAP names another folder instead of the former. Energy is that of the whole node, so
 * the process with the lowest local rank counts it.
 */
#ifndef AA_ENERGY_H
#define AA_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

enum aa_energy_domain { AA_PACKAGES, AA_DRAM, AA_ENERGY_DOMAINS };

/* Returns null, or why it cannot be counted. */
const char *aa_energy_open(enum aa_energy_domain domain);

/* Returns how it is counted: "powercap" or "perf"; the same for both domains. */
const char *aa_energy_source(void);

/* Whether this process may count for the node: it is the node's first rank. */
bool aa_energy_is_counted_here(void);

/* Whether it may count, and no other running process does, such as a parent that was measured, too. */
bool aa_energy_claim(void);

/*
 * Reads the counters, at most as often as they change; and returns the microjoules since the first
 * reading.
 */
void aa_energy_ask(void);
uint64_t aa_energy_of(enum aa_energy_domain domain);

#endif
