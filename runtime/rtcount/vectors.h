/* Vector registers of the program. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_VECTORS_H
#define RTCOUNT_VECTORS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#define VECTORS 16

/* The values of the lower 16 bytes of each register, where the superblock shows them; NULL if unknown. */
typedef struct {
    IRExpr *known[VECTORS];
} Vectors;

/*
 * The processor stalls if Valgrind reads the 16 bytes of a register just after it has written 8 of them. A
 * write to a part of a known register is therefore replaced with a write of the whole register, and reads of
 * a known register are removed.
 *
 *     PUT(224) = V128{0x0000}           PUT(224) = V128{0x0000}
 *     t5 = LDle:I64(t1)                 t5 = LDle:I64(t1)
 *     PUT(224) = t5                     t9 = 64UtoV128(t5)
 *     t7 = GET:V128(224)                PUT(224) = t9
 *                                       t7 = t9
 *
 * Adds statements, and returns the statement to add in place of the given one.
 */
IRStmt *rc_keep_whole(Vectors *vectors, IRSB *out, IRStmt *statement);

#endif
