/* Vector registers of the program. SPDX-License-Identifier: GPL-2.0-or-later */
#include "vectors.h"

#if defined(VGA_amd64)

#include "ir.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"

#define FIRST ((Int)offsetof(VexGuestAMD64State, guest_YMM0))
#define DISTANCE ((Int)(offsetof(VexGuestAMD64State, guest_YMM1) - offsetof(VexGuestAMD64State, guest_YMM0)))
#define SIZE 16

static Bool is_zero(const IRExpr *value) {
    return value->tag == Iex_Const && value->Iex.Const.con->Ico.V128 == 0;
}

/* Returns a part followed by zeros; NULL unless it is a float, a double, or an integer of these sizes. */
static IRExpr *widened(IRSB *out, IRExpr *part) {
    switch (typeOfIRExpr(out->tyenv, part)) {
    case Ity_F64:
        return widened(out, let(out, Ity_I64, IRExpr_Unop(Iop_ReinterpF64asI64, part)));
    case Ity_F32:
        return widened(out, let(out, Ity_I32, IRExpr_Unop(Iop_ReinterpF32asI32, part)));
    case Ity_I64:
        return let(out, Ity_V128, IRExpr_Unop(Iop_64UtoV128, part));
    case Ity_I32:
        return let(out, Ity_V128, IRExpr_Unop(Iop_32UtoV128, part));
    default:
        return NULL;
    }
}

static IRExpr *joined(IRSB *out, IROp halves, IRExpr *upper, IRExpr *lower) {
    return let(out, Ity_V128, IRExpr_Binop(halves, upper, lower));
}

/* Returns a register's value after a part of it is written; NULL if it is unknown. */
static IRExpr *merged(IRSB *out, IRExpr *before, Int place, IRExpr *part) {
    Bool is_half = sizeofIRType(typeOfIRExpr(out->tyenv, part)) == SIZE / 2;
    if (place == 0 && is_zero(before))
        return widened(out, part);
    if (place == SIZE / 2 && is_half)
        return joined(out, Iop_InterleaveLO64x2, widened(out, part), before);
    if (place == 0 && is_half) {
        IRExpr *upper = joined(out, Iop_InterleaveHI64x2, before, before);
        return joined(out, Iop_InterleaveLO64x2, upper, widened(out, part));
    }
    return NULL;
}

static IRStmt *write(Vectors *vectors, IRSB *out, IRStmt *statement) {
    IRExpr *data = statement->Ist.Put.data;
    Int offset = statement->Ist.Put.offset - FIRST, number = offset / DISTANCE, place = offset % DISTANCE;
    if (offset < 0 || number >= VECTORS || place >= SIZE)
        return statement;
    IRExpr **known = &vectors->known[number];
    if (typeOfIRExpr(out->tyenv, data) == Ity_V128)
        *known = data;
    else if (*known)
        *known = merged(out, *known, place, data);
    return *known ? IRStmt_Put(FIRST + number * DISTANCE, *known) : statement;
}

static IRStmt *read(Vectors *vectors, IRStmt *statement) {
    const IRExpr *data = statement->Ist.WrTmp.data;
    Int offset = data->Iex.Get.offset - FIRST, number = offset / DISTANCE;
    if (data->Iex.Get.ty != Ity_V128 || offset < 0 || number >= VECTORS || offset % DISTANCE)
        return statement;
    IRExpr **known = &vectors->known[number];
    if (*known)
        return IRStmt_WrTmp(statement->Ist.WrTmp.tmp, *known);
    *known = IRExpr_RdTmp(statement->Ist.WrTmp.tmp);
    return statement;
}

IRStmt *rc_keep_whole(Vectors *vectors, IRSB *out, IRStmt *statement) {
    switch (statement->tag) {
    case Ist_Put:
        return write(vectors, out, statement);
    case Ist_WrTmp:
        return statement->Ist.WrTmp.data->tag == Iex_Get ? read(vectors, statement) : statement;
    case Ist_PutI:
    case Ist_Dirty:
        VG_(memset)(vectors, 0, sizeof *vectors);
        return statement;
    default:
        return statement;
    }
}

#else

IRStmt *rc_keep_whole(Vectors *vectors, IRSB *out, IRStmt *statement) {
    return statement;
}

#endif
