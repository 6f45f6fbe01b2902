/* Vector registers of the program. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_VECTORS_H
#define RTCOUNT_VECTORS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#define VECTORS 16

/* What the lower 16 bytes of each register are, as far as a superblock has shown; NULL: not known. */
typedef struct {
    IRExpr *known[VECTORS];
} Vectors;

/*
 * A processor waits long for the 16 bytes of a register of which Valgrind has just written 8. Writing part of
 * a known register becomes writing all of it, and reading one that is known becomes no reading at all.
 *
 *     PUT(224) = V128{0x0000}           PUT(224) = V128{0x0000}
 *     t5 = LDle:I64(t1)                 t5 = LDle:I64(t1)
 *     PUT(224) = t5                     t9 = 64UtoV128(t5)
 *     t7 = GET:V128(224)                PUT(224) = t9
 *                                       t7 = t9
 *
 * Gives the statement to add in place of this one, after those that it adds.
 */
IRStmt *rc_keep_whole(Vectors *vectors, IRSB *out, IRStmt *statement);

#endif
