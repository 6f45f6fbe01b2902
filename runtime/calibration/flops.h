/*
 * Double-precision operations at best: independent chains of products and sums, in the longest vectors that
 * the compiler was allowed to use.
 */
#ifndef AA_FLOPS_H
#define AA_FLOPS_H

#include "work.h"

/* One time of the work is one operation; a product and a sum in one instruction are two. */
struct aa_work aa_flops(void);

#endif
