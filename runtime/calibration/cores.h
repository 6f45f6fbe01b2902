/*
 * The cores of this node that the job may use, and their last caches.
 */
#ifndef AA_CORES_H
#define AA_CORES_H

#include <stdint.h>

struct aa_cores {
    int number;
    int *processors;     /* one of each core */
    uint64_t cache, all; /* bytes: the largest last cache of a core, and those of all cores together */
};

/*
 * A launcher may have bound the process to one core; this releases it as far as the job's limits allow.
 * Returns -1, with errno, if the kernel does not report them.
 */
int aa_find_cores(struct aa_cores *cores);

/* Lets the calling thread run there alone; where that is forbidden, it runs anywhere. */
void aa_stay_on(int processor);

#endif
