/* The interface between the allocation wrappers and the probe library. */
#ifndef AA_ALLOCATION_H
#define AA_ALLOCATION_H

#include <stdint.h>

/*
 * A function that receives a call of the calling thread: bytes allocated and freed, and the number of
 * allocations and frees, 0 or 1.
 */
typedef void aa_allocation_watcher(uint64_t allocated, uint64_t freed, uint32_t allocations, uint32_t frees);

/* Lets `tell` receive all following calls; returns null, or the reason why that is impossible. */
typedef const char *aa_allocation_watch_function(aa_allocation_watcher *tell);
__attribute__((visibility("default"))) aa_allocation_watch_function aa_allocation_watch;

#endif
