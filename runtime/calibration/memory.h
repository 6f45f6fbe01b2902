/*
 * Accesses that miss in a cache: of a chase each waits for the one before, of a walk the processor fetches
 * ahead.
 */
#ifndef AA_MEMORY_H
#define AA_MEMORY_H

#include "work.h"

enum { AA_ACCESSES = 5 };

/* Sizes in bytes, of the caches as they are simulated. Returns -1 where there is no memory. */
int aa_accesses(struct aa_work works[AA_ACCESSES], uint64_t l1, uint64_t l2, uint64_t line);

#endif
