/* Arithmetic that may be slow: divisions, and denormal numbers. SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "arithmetic.h"

#include "counts.h"
#include "ir.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"

static IROp operation_of(const IRStmt *statement) {
    if (statement->tag != Ist_WrTmp)
        return Iop_INVALID;
    const IRExpr *value = statement->Ist.WrTmp.data;
    switch (value->tag) {
    case Iex_Unop:
        return value->Iex.Unop.op;
    case Iex_Binop:
        return value->Iex.Binop.op;
    case Iex_Triop:
        return value->Iex.Triop.details->op;
    case Iex_Qop:
        return value->Iex.Qop.details->op;
    default:
        return Iop_INVALID;
    }
}

Bool rc_divides(const IRStmt *statement) {
    switch (operation_of(statement)) {
    case Iop_DivU32 ... Iop_DivModU32to32:
    case Iop_DivF64:
    case Iop_DivF32:
    case Iop_Div64F0x2:
    case Iop_Div32F0x4:
    case Iop_Div64Fx2:
    case Iop_Div32Fx4:
    case Iop_Div64Fx4:
    case Iop_Div32Fx8:
    case Iop_SqrtF64:
    case Iop_SqrtF32:
    case Iop_Sqrt64F0x2:
    case Iop_Sqrt32F0x4:
    case Iop_Sqrt64Fx2:
    case Iop_Sqrt32Fx4:
    case Iop_Sqrt64Fx4:
    case Iop_Sqrt32Fx8:
        return True;
    default:
        return False;
    }
}

Search rc_search;

#if defined(VGA_amd64)

/* Bits in MXCSR: FTZ and DAZ, which disable denormal numbers; and the flags that the processor sets after a
 * denormal operand or an underflow. */
#define FLUSHES 0x8040
#define MET 0x12

/* Kinds of operations: on single F64 and F32, on the lowest element of a vector, or on all elements. */
enum { NONE, PLAIN, LOW_DOUBLE, LOW_FLOAT, DOUBLES, FLOATS };

static ULong found[MOST_NUMBERS][2] __attribute__((aligned(16)));

static Int kind_of(IROp operation) {
    switch (operation) {
    case Iop_AddF64 ... Iop_DivF64:
    case Iop_AddF32 ... Iop_DivF32:
    case Iop_SqrtF64:
    case Iop_SqrtF32:
    case Iop_MAddF64:
    case Iop_MSubF64:
    case Iop_MAddF32:
    case Iop_MSubF32:
    case Iop_F32toF64:
    case Iop_F64toF32:
        return PLAIN;
    case Iop_Add64F0x2:
    case Iop_Sub64F0x2:
    case Iop_Mul64F0x2:
    case Iop_Div64F0x2:
    case Iop_Sqrt64F0x2:
        return LOW_DOUBLE;
    case Iop_Add32F0x4:
    case Iop_Sub32F0x4:
    case Iop_Mul32F0x4:
    case Iop_Div32F0x4:
    case Iop_Sqrt32F0x4:
        return LOW_FLOAT;
    case Iop_Add64Fx2:
    case Iop_Sub64Fx2:
    case Iop_Mul64Fx2:
    case Iop_Div64Fx2:
    case Iop_Sqrt64Fx2:
    case Iop_Add64Fx4:
    case Iop_Sub64Fx4:
    case Iop_Mul64Fx4:
    case Iop_Div64Fx4:
    case Iop_Sqrt64Fx4:
        return DOUBLES;
    case Iop_Add32Fx4:
    case Iop_Sub32Fx4:
    case Iop_Mul32Fx4:
    case Iop_Div32Fx4:
    case Iop_Sqrt32Fx4:
    case Iop_Add32Fx8:
    case Iop_Sub32Fx8:
    case Iop_Mul32Fx8:
    case Iop_Div32Fx8:
    case Iop_Sqrt32Fx8:
        return FLOATS;
    default:
        return NONE;
    }
}

static IRExpr *vector(IRSB *out, IRExpr *value) {
    return let(out, Ity_V128, value);
}

static IRExpr *both(IRSB *out, IROp operation, IRExpr *one, IRExpr *other) {
    return one && other ? vector(out, IRExpr_Binop(operation, one, other)) : one ? one : other;
}

static IRExpr *filled(UShort bytes) {
    return IRExpr_Const(IRConst_V128(bytes));
}

/* Returns a value for each number in a vector, usually its exponent. Only denormal numbers have the value 0;
 * see arithmetic.h. */
static IRExpr *exponents(IRSB *out, IRExpr *numbers, Bool floats) {
    IRExpr *doubled =
        vector(out, IRExpr_Binop(floats ? Iop_ShlN32x4 : Iop_ShlN64x2, numbers, IRExpr_Const(IRConst_U8(1))));
    IRExpr *less = both(out, floats ? Iop_Add32x4 : Iop_Add64x2, doubled, filled(0xffff));
    return vector(out,
                  IRExpr_Binop(floats ? Iop_ShrN32x4 : Iop_ShrN64x2, both(out, Iop_OrV128, doubled, less),
                               IRExpr_Const(IRConst_U8(floats ? 24 : 53))));
}

static IRExpr *exponents_of(IRSB *out, IRExpr *value, Int kind) {
    IRExpr *halves[2];
    switch (typeOfIRExpr(out->tyenv, value)) {
    case Ity_F64:
        value = let(out, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, value));
        return exponents(out, vector(out, IRExpr_Unop(Iop_64UtoV128, value)), False);
    case Ity_F32:
        value = let(out, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, value));
        return exponents(out, vector(out, IRExpr_Unop(Iop_32UtoV128, value)), True);
    case Ity_V256:
        halves[0] = vector(out, IRExpr_Unop(Iop_V256toV128_0, value));
        halves[1] = vector(out, IRExpr_Unop(Iop_V256toV128_1, value));
        return both(out, Iop_Min16Sx8, exponents(out, halves[0], kind == FLOATS),
                    exponents(out, halves[1], kind == FLOATS));
    case Ity_V128:
        return exponents(out, value, kind == FLOATS || kind == LOW_FLOAT);
    default:
        return NULL; /* the rounding mode, which is not an operand */
    }
}

static IRExpr *known_exponents(Denormals *denormals, IRSB *out, IRExpr *value, Int kind) {
    if (value->tag != Iex_RdTmp)
        return NULL;
    IRTemp number = value->Iex.RdTmp.tmp;
    Bool floats = kind == FLOATS || kind == LOW_FLOAT;
    if (denormals->known[number % MOST_KNOWN].exponents &&
        denormals->known[number % MOST_KNOWN].value == number &&
        denormals->known[number % MOST_KNOWN].kind == floats)
        return denormals->known[number % MOST_KNOWN].exponents;
    IRExpr *result = exponents_of(out, value, kind);
    denormals->known[number % MOST_KNOWN].value = number;
    denormals->known[number % MOST_KNOWN].kind = floats;
    denormals->known[number % MOST_KNOWN].exponents = result;
    return result;
}

/* Returns the minimum, element by element, of the exponents of all values that a statement reads and writes.
 */
static IRExpr *least(Denormals *denormals, IRSB *out, const IRStmt *statement, Int kind) {
    const IRExpr *value = statement->Ist.WrTmp.data;
    IRExpr *numbers[5] = {IRExpr_RdTmp(statement->Ist.WrTmp.tmp)}, *result = NULL;
    if (value->tag == Iex_Unop) {
        numbers[1] = value->Iex.Unop.arg;
    } else if (value->tag == Iex_Binop) {
        numbers[1] = value->Iex.Binop.arg1, numbers[2] = value->Iex.Binop.arg2;
    } else if (value->tag == Iex_Triop) {
        numbers[1] = value->Iex.Triop.details->arg2, numbers[2] = value->Iex.Triop.details->arg3;
    } else {
        numbers[1] = value->Iex.Qop.details->arg2, numbers[2] = value->Iex.Qop.details->arg3;
        numbers[3] = value->Iex.Qop.details->arg4;
    }
    for (Int i = 0; numbers[i]; i++)
        result = both(out, Iop_Min16Sx8, result, known_exponents(denormals, out, numbers[i], kind));
    return result;
}

/* Records FTZ and DAZ from the value that the program loads into MXCSR. */
static VG_REGPARM(1) void note_control(UWord mxcsr) {
    rc_control = mxcsr & FLUSHES;
}

static void note_if_control(IRSB *out, const IRStmt *statement) {
    const IRExpr *value = statement->tag == Ist_WrTmp ? statement->Ist.WrTmp.data : NULL;
    if (!value || value->tag != Iex_CCall || VG_(strcmp)(value->Iex.CCall.cee->name, "amd64g_check_ldmxcsr"))
        return;
    IRExpr **loaded = mkIRExprVec_1(value->Iex.CCall.args[0]);
    addStmtToIRSB(out, IRStmt_Dirty(unsafeIRDirty_0_N(1, "note_control", VG_(fnptr_to_fnentry)(&note_control),
                                                      loaded)));
}

void rc_look_for_denormals(Denormals *denormals, IRSB *out, const IRStmt *statement) {
    note_if_control(out, statement);
    Int kind = rc_search == FOUND ? kind_of(operation_of(statement)) : NONE;
    if (kind == NONE)
        return;
    IRExpr *are = both(out, Iop_CmpEQ32x4, least(denormals, out, statement, kind), filled(0));
    if (kind != DOUBLES && kind != FLOATS) /* only the lowest number counts */
        are = both(out, Iop_InterleaveLO64x2, filled(0), are);
    if (kind != FLOATS)
        are = vector(out, IRExpr_Binop(Iop_ShlN64x2, are, IRExpr_Const(IRConst_U8(32))));
    denormals->here = both(out, Iop_OrV128, denormals->here, are);
}

void rc_end_arithmetic(Denormals *denormals, IRSB *out) {
    if (!denormals->here)
        return;
    IRExpr *at = mkIRExpr_HWord((HWord)found[denormals->number++]);
    addStmtToIRSB(out, IRStmt_Store(Iend_LE, at, denormals->here));
    denormals->any = both(out, Iop_OrV128, denormals->any, denormals->here);
    denormals->here = NULL;
    if (denormals->number == MOST_NUMBERS)
        rc_count_denormals(denormals, out);
}

static VG_REGPARM(1) void add_denormals(UWord number) {
    for (UWord i = 0; i < number && !rc_control; i++)
        rc_counts.events[AA_RTCOUNT_DENORMALS] += (found[i][0] | found[i][1]) != 0;
}

void rc_count_denormals(Denormals *denormals, IRSB *out) {
    rc_end_arithmetic(denormals, out);
    if (!denormals->any)
        return;
    IRExpr *halves[2] = {let(out, Ity_I64, IRExpr_Unop(Iop_V128to64, denormals->any)),
                         let(out, Ity_I64, IRExpr_Unop(Iop_V128HIto64, denormals->any))};
    IRExpr *any = let(out, Ity_I64, IRExpr_Binop(Iop_Or64, halves[0], halves[1]));
    IRDirty *call = unsafeIRDirty_0_N(1, "add_denormals", VG_(fnptr_to_fnentry)(&add_denormals),
                                      mkIRExprVec_1(mkIRExpr_HWord(denormals->number)));
    call->guard = let(out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, any, IRExpr_Const(IRConst_U64(0))));
    addStmtToIRSB(out, IRStmt_Dirty(call));
    denormals->any = NULL;
    denormals->number = 0;
}

static ULong met;

void rc_note_denormals(void) {
    if (rc_search == AWAITED && __builtin_ia32_stmxcsr() & MET) {
        rc_search = FOUND;
        met = 1;
    }
}

static void put(IRSB *out, Int offset, ULong value) {
    addStmtToIRSB(out, IRStmt_Put(offset, IRExpr_Const(IRConst_U64(value))));
}

void rc_await_denormals(IRSB *out, const IRSB *in) {
    Addr start = 0;
    Bool computes = False;
    for (Int i = 0; i < in->stmts_used && !computes && rc_search == AWAITED; i++) {
        if (in->stmts[i]->tag == Ist_IMark && !start)
            start = in->stmts[i]->Ist.IMark.addr;
        computes = kind_of(operation_of(in->stmts[i])) != NONE;
    }
    if (!computes)
        return;
    IRExpr *is_met = let(out, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, mkIRExpr_HWord((HWord)&met)));
    put(out, offsetof(VexGuestAMD64State, guest_CMSTART), 0);
    put(out, offsetof(VexGuestAMD64State, guest_CMLEN), ~0ull);
    IRExpr *guard = let(out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, is_met, IRExpr_Const(IRConst_U64(0))));
    addStmtToIRSB(out, IRStmt_Exit(guard, Ijk_InvalICache, IRConst_U64(start), in->offsIP));
}

#else

void rc_look_for_denormals(Denormals *denormals, IRSB *out, const IRStmt *statement) {}
void rc_end_arithmetic(Denormals *denormals, IRSB *out) {}
void rc_count_denormals(Denormals *denormals, IRSB *out) {}
void rc_await_denormals(IRSB *out, const IRSB *in) {}
void rc_note_denormals(void) {}

#endif
