/*
 * Accesses that miss in a cache. In a pointer chase, each access waits for the previous one. In a walk, the
 * processor prefetches lines.
 */
#ifndef AA_MEMORY_H
#define AA_MEMORY_H

#include "work.h"

enum { AA_ACCESSES = 5 };

/* l1, l2, line: the sizes of the simulated caches, in bytes. Returns -1 if there is not enough memory. */
int aa_accesses(struct aa_work works[AA_ACCESSES], uint64_t l1, uint64_t l2, uint64_t line);

#endif
