/* Requests that probes make. SPDX-License-Identifier: GPL-2.0-or-later */
#include "requests.h"

#include "counts.h"

typedef struct aa_rtcount_row Row;

static inline void add(unsigned long long *into, unsigned long long *before, unsigned long long bias,
                       ULong now) {
    *into += now > *before + bias ? now - *before - bias : 0;
    *before = now;
}

static void book(Row *into, Row *before, const Row *bias) {
    add(&into->instructions, &before->instructions, bias->instructions, rc_counts.instructions);
    add(&into->accesses, &before->accesses, bias->accesses, rc_counts.accesses);
    add(&into->l1_misses, &before->l1_misses, bias->l1_misses, rc_counts.l1_misses);
    add(&into->l2_accesses, &before->l2_accesses, bias->l2_accesses, rc_counts.l1_misses);
    add(&into->l2_misses, &before->l2_misses, bias->l2_misses, rc_counts.l2_misses);
    for (UWord i = 0; rc_events >> i; i++)
        add(&into->events[i], &before->events[i], bias->events[i], rc_counts.events[i]);
}

Bool rc_answer(const UWord *words) {
    switch (words[0]) {
    case AA_RTCOUNT_BOOK:
        rc_go(True); /* counting may be stopped when a signal handler makes this request */
        book((Row *)words[1], (Row *)words[2], (const Row *)words[3]);
        return True;
    case AA_RTCOUNT_STOP:
        rc_stop();
        *(struct aa_rtcount_counts *)words[1] = *rc_stopped_counts();
        return True;
    case AA_RTCOUNT_GO:
        rc_go(words[1] != 0);
        return True;
    default:
        return False;
    }
}

#if defined(VGA_amd64)

#include "ir.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_machine.h"

/* The registers of a request, as in valgrind.h. */
#define WORDS ((Int)offsetof(VexGuestAMD64State, guest_RAX))
#define RESULT ((Int)offsetof(VexGuestAMD64State, guest_RDX))

static VG_REGPARM(1) ULong answer_here(const UWord *words) {
    return rc_answer(words);
}

static IRExpr *answered(IRSB *out) {
    IRTemp result = newIRTemp(out->tyenv, Ity_I64);
    IRExpr **words = mkIRExprVec_1(let(out, Ity_I64, IRExpr_Get(WORDS, Ity_I64)));
    IRDirty *call = unsafeIRDirty_1_N(result, 1, "answer_here", VG_(fnptr_to_fnentry)(&answer_here), words);
    addStmtToIRSB(out, IRStmt_Dirty(call));
    return IRExpr_RdTmp(result);
}

void rc_answer_here(IRSB *out) {
    if (out->jumpkind != Ijk_ClientReq || out->next->tag != Iex_Const)
        return;
    IRExpr *result = answered(out);
    IRExpr *is_ours = let(out, Ity_I1, IRExpr_Binop(Iop_CmpNE64, result, IRExpr_Const(IRConst_U64(0))));
    IRExpr *before = let(out, Ity_I64, IRExpr_Get(RESULT, Ity_I64));
    addStmtToIRSB(out, IRStmt_Put(RESULT, let(out, Ity_I64, IRExpr_ITE(is_ours, result, before))));
    addStmtToIRSB(out, IRStmt_Exit(is_ours, Ijk_Boring, out->next->Iex.Const.con, out->offsIP));
}

#else

void rc_answer_here(IRSB *out) {}

#endif
