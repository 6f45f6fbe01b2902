/* Charges in a box. */
#ifndef CHARGES_H
#define CHARGES_H

struct charge {
    double x, y, z, value;
};

/* Returns COUNT charges, the same on all ranks; NULL if there is no memory. The caller frees them. */
struct charge *charges_make(int count);

/* Lets the charges drift for one step, in one thread. */
void charges_drift(struct charge *charges, int count, int step);

#endif
