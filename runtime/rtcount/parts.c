/* Instructions whose operand Valgrind reads in parts. SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

/* An address: a value (NULL for a constant address), and an offset in bytes. */
typedef struct {
    const IRExpr *value;
    ULong offset;
} Spot;

static const IRExpr *loaded_from(const IRStmt *statement) {
    Bool loads = statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag == Iex_Load;
    return loads ? statement->Ist.WrTmp.data->Iex.Load.addr : NULL;
}

static Int bytes_loaded(const IRStmt *statement) {
    return sizeofIRType(statement->Ist.WrTmp.data->Iex.Load.ty);
}

/* Returns the expression that a statement assigns to a temporary; NULL if it does not assign to it. */
static const IRExpr *defined_in(const IRStmt *statement, IRTemp temporary) {
    Bool defines = statement->tag == Ist_WrTmp && statement->Ist.WrTmp.tmp == temporary;
    return defines ? statement->Ist.WrTmp.data : NULL;
}

static Bool is_sum(const IRExpr *value) {
    return value->tag == Iex_Binop && value->Iex.Binop.op == Iop_Add64 &&
           value->Iex.Binop.arg2->tag == Iex_Const;
}

static Spot spot_of(const IRSB *in, Int before, const IRExpr *address) {
    Spot spot = {address, 0};
    for (Int i = before - 1; i >= 0 && spot.value->tag == Iex_RdTmp; i--) {
        const IRExpr *value = defined_in(in->stmts[i], spot.value->Iex.RdTmp.tmp);
        if (value && is_sum(value)) {
            spot.offset += value->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
            spot.value = value->Iex.Binop.arg1;
        } else if (value && isIRAtom(value)) {
            spot.value = value;
        }
    }
    if (spot.value->tag == Iex_Const)
        spot = (Spot){NULL, spot.offset + spot.value->Iex.Const.con->Ico.U64};
    return spot;
}

static Bool is_same(Spot one, Spot other) {
    Bool same_value = one.value && other.value ? eqIRAtom(one.value, other.value) : one.value == other.value;
    return same_value && one.offset == other.offset;
}

/* Returns the next statement in which the instruction reads; 0 if the instruction writes or ends before it
 * reads. */
static Int next_read(const IRSB *in, Int statement) {
    for (Int i = statement + 1; i < in->stmts_used; i++) {
        IRStmtTag tag = in->stmts[i]->tag;
        if (tag == Ist_IMark || tag == Ist_Store || tag == Ist_Exit)
            return 0;
        if (loaded_from(in->stmts[i]))
            return i;
    }
    return 0;
}

Int rc_bytes_read(const IRSB *in, Int statement, Int *last) {
    Int bytes = bytes_loaded(in->stmts[statement]);
    *last = statement;
    Int next = next_read(in, statement);
    if (!next)
        return bytes;
    Spot end = spot_of(in, statement, loaded_from(in->stmts[statement]));
    end.offset += bytes;
    while (next && is_same(spot_of(in, next, loaded_from(in->stmts[next])), end)) {
        end.offset += bytes_loaded(in->stmts[next]);
        bytes += bytes_loaded(in->stmts[next]);
        *last = next;
        next = next_read(in, next);
    }
    return bytes;
}
