/* Charges in a box. */
#ifndef CHARGES_H
#define CHARGES_H

struct charge {
    double x, y, z, value;
};

/* COUNT charges, the same on all ranks, or NULL if there is no memory for them; free() frees them. */
struct charge *charges_make(int count);

/* Lets the charges drift for the length of a step: one thread does it. */
void charges_drift(struct charge *charges, int count, int step);

#endif
