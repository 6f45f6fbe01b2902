/* The interface between the allocation wrappers and the probe library. */
#ifndef AA_ALLOCATION_H
#define AA_ALLOCATION_H

#include <stdint.h>

/*
 * A callback for each call of the calling thread. It receives the bytes allocated and freed, and the numbers
 * of allocations and frees, each 0 or 1.
 */
typedef void aa_allocation_watcher(uint64_t allocated, uint64_t freed, uint32_t allocations, uint32_t frees);

/* Reports all following calls to `tell`; returns null, or the reason why this is impossible. */
typedef const char *aa_allocation_watch_function(aa_allocation_watcher *tell);
__attribute__((visibility("default"))) aa_allocation_watch_function aa_allocation_watch;

#endif
