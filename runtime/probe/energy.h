/*
 * Energy of the node's processors and memory, as Intel and AMD count it (RAPL): in files of
 * /sys/class/powercap, which root alone may read as a rule, or by the kernel's events of the "power" PMU.
 * AUTOANALYZER_POWERCAP names another folder than the first. It is of the whole node, so that one process
 * counts it: that with the lowest local rank.
 */
#ifndef AA_ENERGY_H
#define AA_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

enum aa_energy_domain { AA_PACKAGES, AA_DRAM, AA_ENERGY_DOMAINS };

/* Null, or why it cannot be counted. */
const char *aa_energy_open(enum aa_energy_domain domain);

/* How it is counted: "powercap" or "perf"; the same for both domains. */
const char *aa_energy_source(void);

/* Whether this process may count for the node: it is the first there. */
bool aa_energy_is_counted_here(void);

/* Whether it does, and no other that still runs, such as the one that has started it as a program of its
 * own. */
bool aa_energy_claim(void);

/* Read it, at most as often as it changes; and the energy used since the first reading, in microjoules. */
void aa_energy_ask(void);
uint64_t aa_energy_of(enum aa_energy_domain domain);

#endif
