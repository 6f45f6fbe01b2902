/*
 * The cores of this node that the job may use, and their last-level caches.
 */
#ifndef AA_CORES_H
#define AA_CORES_H

#include <stdint.h>

struct aa_cores {
    int number;
    int *processors;     /* one processor per core */
    uint64_t cache, all; /* bytes: the largest last-level cache, and the sum of all last-level caches */
};

/*
 * Finds the cores. If a launcher has bound the process to one core, unbinds it first, as far as the job's
 * limits allow. Returns -1 and sets errno if the kernel does not report the cores.
 */
int aa_find_cores(struct aa_cores *cores);

/* Binds the calling thread to a processor, if the job may use this processor. */
void aa_stay_on(int processor);

#endif
