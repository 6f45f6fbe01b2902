/* What the library in front of the allocator reports to the probe library. */
#ifndef AA_ALLOCATION_H
#define AA_ALLOCATION_H

#include <stdint.h>

/* Of a call: the bytes that it allocated and freed, and whether it did either; by the thread that calls. */
typedef void aa_allocation_watcher(uint64_t allocated, uint64_t freed, uint32_t allocations, uint32_t frees);

/* Null, or why nothing will be reported. */
typedef const char *aa_allocation_watch_function(aa_allocation_watcher *tell);
__attribute__((visibility("default"))) aa_allocation_watch_function aa_allocation_watch;

#endif
