/* Conditional branches, and a processor that predicts them. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_BRANCHES_H
#define RTCOUNT_BRANCHES_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#define BRANCH_BITS 14 /* of a place in the table */

/*
 * A predictor of branches by what the last ones did: gshare (McFarling, Combining branch predictors, 1993).
 * A place, the branch's address combined with the history by exclusive or, has a counter from 0 to 3, doubled
 * here: from 2 on the branch is predicted to be taken.
 */
typedef struct {
    UChar counters[1 << BRANCH_BITS];
    ULong history; /* a bit for each branch, the last one lowest: whether it was taken */
} Branches;

/* Those of the running thread. */
extern Branches *rc_branches;

/* Predict the branch at an address, which is about to be taken if the guard holds, and learn from it. */
void rc_predict(IRSB *out, Addr branch, IRExpr *guard);

#endif
