/* Instructions whose operand Valgrind reads in parts. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_PARTS_H
#define RTCOUNT_PARTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/*
 * A processor reads the operand of a fused multiply-add in one access, but Valgrind reads it one number at a
 * time:
 *
 *     t47 = LDle:F64(t31)
 *     t35 = Add64(t31, 0x8)
 *     t52 = LDle:F64(t35)
 *
 * Returns the number of bytes that the instruction reads, beginning at the address in a statement. last: the
 * last statement that reads some of these bytes.
 */
Int rc_bytes_read(const IRSB *in, Int statement, Int *last);

#endif
