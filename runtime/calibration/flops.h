/*
 * The peak rate of double-precision operations: independent chains of products and sums, in the longest
 * vectors that the compiler may use.
 */
#ifndef AA_FLOPS_H
#define AA_FLOPS_H

#include "work.h"

/* One repetition is one operation; a fused product and sum counts as two. */
struct aa_work aa_flops(void);

#endif
