/* Executes fused multiply-adds on the processor. SPDX-License-Identifier: GPL-2.0-or-later */
#include "fused.h"

#if defined(VGA_amd64)

#include "ir.h"

#include "pub_tool_machine.h"

#include <cpuid.h>

static Bool has_instruction;

void rc_find_fused(const VexArchInfo *host) {
    static Bool looked;
    unsigned a, b, c, d;
    if (!looked && host->hwcaps & VEX_HWCAPS_AMD64_AVX && __get_cpuid(1, &a, &b, &c, &d))
        has_instruction = (c & bit_FMA) != 0;
    looked = True;
}

static __attribute__((target("fma"))) ULong multiply_add(ULong a, ULong b, ULong c) {
    union {
        ULong bits;
        double value;
    } x = {a}, y = {b}, z = {c};
    x.value = __builtin_fma(x.value, y.value, z.value);
    return x.bits;
}

static __attribute__((target("fma"))) ULong multiply_add_floats(ULong a, ULong b, ULong c) {
    union {
        UInt bits;
        float value;
    } x = {(UInt)a}, y = {(UInt)b}, z = {(UInt)c};
    x.value = __builtin_fmaf(x.value, y.value, z.value);
    return x.bits;
}

static IRExpr *bits_of_double(IRSB *out, IRExpr *value) {
    return let(out, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, value));
}

static IRExpr *bits_of_float(IRSB *out, IRExpr *value) {
    IRExpr *bits = let(out, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, value));
    return let(out, Ity_I64, IRExpr_Unop(Iop_32Uto64, bits));
}

static IRExpr *called(IRSB *out, const HChar *name, void *function, IRExpr **arguments) {
    return let(out, Ity_I64, mkIRExprCCall(Ity_I64, 0, name, VG_(fnptr_to_fnentry)(function), arguments));
}

IRStmt *rc_fuse(IRSB *out, IRStmt *statement) {
    if (!has_instruction || statement->tag != Ist_WrTmp || statement->Ist.WrTmp.data->tag != Iex_Qop)
        return statement;
    const IRQop *of = statement->Ist.WrTmp.data->Iex.Qop.details;
    IRTemp result = statement->Ist.WrTmp.tmp;
    if (of->op == Iop_MAddF64) {
        IRExpr **bits = mkIRExprVec_3(bits_of_double(out, of->arg2), bits_of_double(out, of->arg3),
                                      bits_of_double(out, of->arg4));
        IRExpr *sum = called(out, "multiply_add", &multiply_add, bits);
        return IRStmt_WrTmp(result, IRExpr_Unop(Iop_ReinterpI64asF64, sum));
    }
    if (of->op == Iop_MAddF32) {
        IRExpr **bits = mkIRExprVec_3(bits_of_float(out, of->arg2), bits_of_float(out, of->arg3),
                                      bits_of_float(out, of->arg4));
        IRExpr *sum = called(out, "multiply_add_floats", &multiply_add_floats, bits);
        IRExpr *lower = let(out, Ity_I32, IRExpr_Unop(Iop_64to32, sum));
        return IRStmt_WrTmp(result, IRExpr_Unop(Iop_ReinterpI32asF32, lower));
    }
    return statement;
}

#else

void rc_find_fused(const VexArchInfo *host) {}

IRStmt *rc_fuse(IRSB *out, IRStmt *statement) {
    return statement;
}

#endif
