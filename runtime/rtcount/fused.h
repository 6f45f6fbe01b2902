/* Fused multiply-add by the processor. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_FUSED_H
#define RTCOUNT_FUSED_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Look what the processor has. */
void rc_find_fused(const VexArchInfo *host);

/*
 * Valgrind works out a * b + c with one rounding in a hundred steps or more. A processor that has an
 * instruction for it gives the same in one, which costs a call.
 *
 *     t9 = MAddF64(t1, t2, t3, t4)      t10 = ReinterpF64asI64(t2), likewise t11, t12
 *                                       t13 = multiply_add(t10, t11, t12)
 *                                       t9 = ReinterpI64asF64(t13)
 *
 * Gives the statement to add in place of this one, after those that it adds.
 */
IRStmt *rc_fuse(IRSB *out, IRStmt *statement);

#endif
