/* Executes fused multiply-adds on the processor. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_FUSED_H
#define RTCOUNT_FUSED_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Finds out whether the processor has fused multiply-add instructions. */
void rc_find_fused(const VexArchInfo *host);

/*
 * Valgrind needs a hundred steps or more to compute a * b + c with one rounding. If the processor has an
 * instruction for this, the same result costs only a call.
 *
 *     t9 = MAddF64(t1, t2, t3, t4)      t10 = ReinterpF64asI64(t2), likewise t11, t12
 *                                       t13 = multiply_add(t10, t11, t12)
 *                                       t9 = ReinterpI64asF64(t13)
 *
 * Adds statements, and returns the statement to add in place of the given one.
 */
IRStmt *rc_fuse(IRSB *out, IRStmt *statement);

#endif
