/*
 * Threads that meet at a barrier and spin until all are there, as those of OpenMP do: one on each core.
 */
#ifndef AA_BARRIER_H
#define AA_BARRIER_H

#include "cores.h"

/* Returns the seconds of a barrier; 0 if there is one core, or no threads. The calling thread stays on a
 * core. */
double aa_barrier(const struct aa_cores *cores);

#endif
