/* Instructions that Valgrind cannot execute. SPDX-License-Identifier: GPL-2.0-or-later */
#include "undecoded.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"

#define EVEX 0x62 /* in 64-bit code, all AVX-512 instructions, and only these, begin with this byte */

static VG_REGPARM(1) void report_avx512(Addr address) {
    static const HChar text[] = "autoanalyzer: AVX-512 at %s: Valgrind cannot run this program; "
                                "for the counting run, compile with -march=x86-64-v3 -mno-fma\n";
    static Bool said;
    if (!said)
        VG_(printf)(text, VG_(describe_IP)(VG_(current_DiEpoch)(), address, NULL));
    said = True;
}

void rc_check_decoded(IRSB *out) {
    IRExpr *next = out->next;
    if (out->jumpkind != Ijk_NoDecode || next->tag != Iex_Const)
        return;
    Addr address = next->Iex.Const.con->Ico.U64;
    if (*(const UChar *)address == EVEX) {
        IRDirty *report = unsafeIRDirty_0_N(1, "report_avx512", VG_(fnptr_to_fnentry)(&report_avx512),
                                            mkIRExprVec_1(mkIRExpr_HWord(address)));
        addStmtToIRSB(out, IRStmt_Dirty(report));
    }
}
