/* What one instruction reads part by part. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_PARTS_H
#define RTCOUNT_PARTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/*
 * A processor reads the operand of a fused multiply-add at once, Valgrind number by number:
 *
 *     t47 = LDle:F64(t31)
 *     t35 = Add64(t31, 0x8)
 *     t52 = LDle:F64(t35)
 *
 * Gives the bytes that the instruction reads from where it reads in a statement on, and the last statement in
 * which it reads of them.
 */
Int rc_bytes_read(const IRSB *in, Int statement, Int *last);

#endif
