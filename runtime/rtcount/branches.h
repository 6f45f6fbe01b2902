/* Conditional branches, and a simple branch predictor. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_BRANCHES_H
#define RTCOUNT_BRANCHES_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#define BRANCH_BITS 14 /* bits of an index into the table */

/*
 * Predicts a branch from the most recent branches with gshare (McFarling, Combining branch predictors, 1993).
 * The index into the table is the exclusive or of the branch's address and the history. Each counter ranges
 * from 0 to 3, and is stored doubled. If it is at least 2, it predicts that the branch is taken.
 */
typedef struct {
    UChar counters[1 << BRANCH_BITS];
    ULong history; /* one bit per branch: whether it was taken; the lowest bit is the last branch */
} Branches;

/* The predictor of the running thread. */
extern Branches *rc_branches;

/* Adds code that predicts the branch at an address, counts a misprediction, and updates the predictor. guard:
 * whether the branch is taken. */
void rc_predict(IRSB *out, Addr branch, IRExpr *guard);

#endif
