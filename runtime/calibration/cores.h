/*
 * The cores of this node that the job may use, and their last caches.
 */
#ifndef AA_CORES_H
#define AA_CORES_H

#include <stdint.h>

struct aa_cores {
    int number;
    int *processors;     /* one processor per core */
    uint64_t cache, all; /* bytes: the largest last-level cache of any core, and the sum over all cores */
};

/*
 * Finds the cores. A launcher may have bound the process to one core; this releases it as far as the job's
 * limits allow. Returns -1 and sets errno if the kernel does not report them.
 */
int aa_find_cores(struct aa_cores *cores);

/* Binds the calling thread to a processor, if the job is allowed to. */
void aa_stay_on(int processor);

#endif
