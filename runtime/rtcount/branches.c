/* Conditional branches, and a simple branch predictor. SPDX-License-Identifier: GPL-2.0-or-later */
#include "branches.h"

#include "counts.h"
#include "ir.h"

#include <stddef.h>

Branches *rc_branches;

/* The next value of a counter. The index is its current value, plus 1 if the branch is taken. */
static const UChar learnt[8] = {0, 2, 0, 4, 2, 6, 4, 6};

static IRExpr *word(IRSB *out, IROp operation, IRExpr *left, IRExpr *right) {
    return let(out, Ity_I64, IRExpr_Binop(operation, left, right));
}

static IRExpr *bits(UInt number) {
    return IRExpr_Const(IRConst_U8(number));
}

static IRExpr *constant(ULong value) {
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *loaded(IRSB *out, IRType type, IRExpr *address) {
    return let(out, type, IRExpr_Load(Iend_LE, type, address));
}

static void store(IRSB *out, IRExpr *address, IRExpr *value) {
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, address, value));
}

void rc_predict(IRSB *out, Addr branch, IRExpr *guard) {
    ULong mixed = branch ^ branch >> BRANCH_BITS;
    IRExpr *misses = mkIRExpr_HWord((HWord)&rc_counts.events[AA_RTCOUNT_BRANCH_MISSES]);
    IRExpr *branches = loaded(out, Ity_I64, mkIRExpr_HWord((HWord)&rc_branches));
    IRExpr *at_history = word(out, Iop_Add64, branches, constant(offsetof(Branches, history)));
    IRExpr *history = loaded(out, Ity_I64, at_history);
    IRExpr *number = word(out, Iop_And64, word(out, Iop_Xor64, history, constant(mixed)),
                          constant((1 << BRANCH_BITS) - 1));
    IRExpr *place = word(out, Iop_Add64, branches, number);
    IRExpr *counter = let(out, Ity_I64, IRExpr_Unop(Iop_8Uto64, loaded(out, Ity_I8, place)));
    IRExpr *taken = let(out, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard));
    IRExpr *missed = word(out, Iop_Xor64, word(out, Iop_Shr64, counter, bits(2)), taken);
    IRExpr *next = word(out, Iop_Add64, word(out, Iop_Add64, counter, taken), mkIRExpr_HWord((HWord)learnt));
    store(out, place, loaded(out, Ity_I8, next));
    store(out, at_history, word(out, Iop_Add64, word(out, Iop_Shl64, history, bits(1)), taken));
    store(out, misses, word(out, Iop_Add64, loaded(out, Ity_I64, misses), missed));
}
