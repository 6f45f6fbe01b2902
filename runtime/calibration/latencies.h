/*
 * Operations that take longer than others: divisions, products of denormal numbers, mispredicted branches.
 * Each price is the additional time, compared with an otherwise identical loop.
 */
#ifndef AA_LATENCIES_H
#define AA_LATENCIES_H

#include "work.h"

enum { AA_LATENCIES = 7 };

void aa_latencies(struct aa_work works[AA_LATENCIES]);
void aa_print_latencies(const struct aa_work works[AA_LATENCIES]);

#endif
