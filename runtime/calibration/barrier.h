/* A barrier of threads, one per core, that spin until all have arrived, as in OpenMP. */
#ifndef AA_BARRIER_H
#define AA_BARRIER_H

#include "cores.h"

/* Returns the seconds that a barrier takes; 0 if there is only one core, or if threads cannot be started.
 * Binds the calling thread to a core. */
double aa_barrier(const struct aa_cores *cores);

#endif
