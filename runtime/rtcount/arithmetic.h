/* Arithmetic that may take long: divisions, and denormal numbers. SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef RTCOUNT_ARITHMETIC_H
#define RTCOUNT_ARITHMETIC_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Whether a statement divides, or takes square roots; of a vector it is one, too. */
Bool rc_divides(const IRStmt *statement);

#define MOST_KNOWN 16    /* values whose exponents are known, the last ones */
#define MOST_NUMBERS 256 /* instructions that may be found out to have denormal numbers, at once */

/*
 * Exponents of values, and of the instructions since the last way out whether they have a denormal number. Of
 * a vector of doubles d (of floats likewise, with 1, 1 and 24), what follows is 0 just where they are
 * denormal:
 *
 *     t1 = ShlN64x2(d, 1); t2 = Add64x2(t1, -1); t3 = OrV128(t1, t2); t4 = ShrN64x2(t3, 53)
 */
typedef struct {
    struct {
        IRTemp value;
        Int kind;
        IRExpr *exponents;
    } known[MOST_KNOWN];
    IRExpr *here; /* of the instruction at hand; NULL: it does not compute */
    IRExpr *any;  /* of all before it */
    UInt number;  /* of them */
} Denormals;

/* Whether to look for them: at once, or not before the processor has met one, as it notes in MXCSR. */
typedef enum { NEVER, AWAITED, FOUND } Search;
extern Search rc_search;

/*
 * While they are awaited, code that computes is left at its start once there is one, and all code translated
 * anew:
 *
 *     t1 = LDle:I64(met); t2 = CmpNE64(t1, 0); PUT(CMSTART) = 0; PUT(CMLEN) = -1
 *     if (t2) goto {InvalICache} start
 */
void rc_await_denormals(IRSB *out, const IRSB *in);

/* Translated code has been left. */
void rc_note_denormals(void);

/* Look at the numbers of a statement, which has been added; at the end of an instruction; at a way out. */
void rc_look_for_denormals(Denormals *denormals, IRSB *out, const IRStmt *statement);
void rc_end_arithmetic(Denormals *denormals, IRSB *out);
void rc_count_denormals(Denormals *denormals, IRSB *out);

#endif
