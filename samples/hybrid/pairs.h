/* The energy of pairs of charges. */
#ifndef PAIRS_H
#define PAIRS_H

#include "charges.h"

/* The energy of the pairs whose first charge is FIRST, FIRST + STRIDE, … of COUNT: the threads share them.
   ENERGIES has room for one of each of these. */
double pairs_energy(const struct charge *charges, int count, int first, int stride, double *energies);

#endif
