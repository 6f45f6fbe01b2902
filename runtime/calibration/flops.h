/*
 * Operations on double precision at best: chains of products and sums that do not wait for each other, in as
 * long vectors as the compiler was told of.
 */
#ifndef AA_FLOPS_H
#define AA_FLOPS_H

#include "work.h"

/* One time of the work is one operation; a product and a sum in one instruction are two. */
struct aa_work aa_flops(void);

#endif
