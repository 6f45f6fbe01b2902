/* Arithmetic that may be slow: divisions, and denormal numbers. SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RTCOUNT_ARITHMETIC_H
#define RTCOUNT_ARITHMETIC_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Returns whether a statement divides or takes square roots. An operation on a vector counts as one. */
Bool rc_divides(const IRStmt *statement);

#define MOST_KNOWN 16    /* number of values whose exponents are kept: the most recent values */
#define MOST_NUMBERS 256 /* maximum number of instructions examined between counts */

/*
 * The exponents of the most recent values; and, for each instruction since the last exit, whether it has a
 * denormal operand or result. For a vector of doubles d, t4 is 0 exactly where d is denormal (likewise for
 * floats, with 1, 1 and 24):
 *
 *     t1 = ShlN64x2(d, 1); t2 = Add64x2(t1, -1); t3 = OrV128(t1, t2); t4 = ShrN64x2(t3, 53)
 */
typedef struct {
    struct {
        IRTemp value;
        Int kind;
        IRExpr *exponents;
    } known[MOST_KNOWN];
    IRExpr *here; /* for the current instruction; NULL: no arithmetic */
    IRExpr *any;  /* for all earlier instructions since the last exit */
    UInt number;  /* the number of these instructions */
} Denormals;

/* When to search for denormal numbers: never; once MXCSR shows that the processor has met one; or now. */
typedef enum { NEVER, AWAITED, FOUND } Search;
extern Search rc_search;

/*
 * While the first denormal number is awaited, adds an exit to the start of superblocks with arithmetic. It is
 * taken once there is a denormal number, and all code is then translated again:
 *
 *     t1 = LDle:I64(met); t2 = CmpNE64(t1, 0); PUT(CMSTART) = 0; PUT(CMLEN) = -1
 *     if (t2) goto {InvalICache} start
 */
void rc_await_denormals(IRSB *out, const IRSB *in);

/* Called after translated code has been left: checks whether the processor has met a denormal number. */
void rc_note_denormals(void);

/* rc_look_for_denormals examines the numbers of the statement that was just added; rc_end_arithmetic ends an
 * instruction; rc_count_denormals, called at an exit, counts the instructions with denormal numbers. */
void rc_look_for_denormals(Denormals *denormals, IRSB *out, const IRStmt *statement);
void rc_end_arithmetic(Denormals *denormals, IRSB *out);
void rc_count_denormals(Denormals *denormals, IRSB *out);

#endif
