/*
 * Superblocks with the code that counts. Instructions and accesses are counted where a superblock is left, as
 * many as were passed since the last way out; an access is looked at only if its line is not the one that its
 * L1 set has used last.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "instrument.h"

#include "counts.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_machine.h"

#define MOST_RANGES 16
#define MOST_NAMES 16
#define EVEX 0x62 /* the first byte of AVX-512's instructions, and of no other that 64-bit code has */

#if defined(VG_BIGENDIAN)
#define HOST_ENDIAN Iend_BE
#else
#define HOST_ENDIAN Iend_LE
#endif

/* ---- what is left out */

static struct {
    Addr start;
    SizeT length;
} ranges[MOST_RANGES];
static const HChar *names[MOST_NAMES];
static UInt range_count, name_count;

void rc_leave_out(Addr start, SizeT length) {
    tl_assert(range_count < MOST_RANGES);
    ranges[range_count].start = start;
    ranges[range_count++].length = length;
}

void rc_leave_out_function(const HChar *name) {
    tl_assert(name_count < MOST_NAMES);
    names[name_count++] = name;
}

static Bool is_left_out(Addr address) {
    for (UInt i = 0; i < range_count; i++) {
        if (address - ranges[i].start < ranges[i].length)
            return True;
    }
    const HChar *function;
    if (!name_count || !VG_(get_fnname)(VG_(current_DiEpoch)(), address, &function))
        return False;
    for (UInt i = 0; i < name_count; i++) {
        if (VG_(strcmp)(names[i], function) == 0)
            return True;
    }
    return False;
}

/* ---- a superblock in the making */

typedef struct {
    IRSB *out;
    UInt instructions, accesses; /* since the last way out */
    Bool counts;                 /* the instruction at hand is not left out */
    Addr next;                   /* where the instruction behind it lies */
    IRExpr *read;                /* where this instruction has read last, for one that writes there as well */
    Int read_size;
} Block;

static IRExpr *let(Block *block, IRType type, IRExpr *value) {
    IRTemp temporary = newIRTemp(block->out->tyenv, type);
    addStmtToIRSB(block->out, IRStmt_WrTmp(temporary, value));
    return IRExpr_RdTmp(temporary);
}

static IRExpr *word(Block *block, IROp operation, IRExpr *left, IRExpr *right) {
    return let(block, Ity_I64, IRExpr_Binop(operation, left, right));
}

static IRExpr *constant(ULong value) {
    return IRExpr_Const(IRConst_U64(value));
}

static void add(Block *block, unsigned long long *counter, UInt number) {
    if (!number)
        return;
    IRExpr *place = mkIRExpr_HWord((HWord)counter);
    IRExpr *before = let(block, Ity_I64, IRExpr_Load(HOST_ENDIAN, Ity_I64, place));
    addStmtToIRSB(block->out,
                  IRStmt_Store(HOST_ENDIAN, place, word(block, Iop_Add64, before, constant(number))));
}

static void count(Block *block) {
    add(block, &rc_counts.instructions, block->instructions);
    add(block, &rc_counts.accesses, block->accesses);
    block->instructions = block->accesses = 0;
}

/* ---- accesses */

static void call(Block *block, const HChar *name, void *function, IRExpr **arguments, IRExpr *guard) {
    IRDirty *call = unsafeIRDirty_0_N(2, name, VG_(fnptr_to_fnentry)(function), arguments);
    if (guard)
        call->guard = guard;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

/*
 * The line of the last byte is compared with the latest of the first byte's set. An access to two lines never
 * passes, for the second line belongs to another set.
 */
static IRExpr *is_not_latest(Block *block, IRExpr *address, Int size) {
    IRExpr *last = size == 1 ? address : word(block, Iop_Add64, address, constant((ULong)size - 1));
    IRExpr *line = word(block, Iop_Shr64, last, IRExpr_Const(IRConst_U8(rc_l1.line_bits)));
    IRExpr *shifted = word(block, Iop_Shr64, address, IRExpr_Const(IRConst_U8(rc_l1.line_bits - 3)));
    IRExpr *offset = word(block, Iop_And64, shifted, constant((((ULong)1 << rc_l1.set_bits) - 1) << 3));
    IRExpr *place = word(block, Iop_Add64, offset, constant((ULong)(Addr)rc_latest));
    IRExpr *latest = let(block, Ity_I64, IRExpr_Load(HOST_ENDIAN, Ity_I64, place));
    return let(block, Ity_I1, IRExpr_Binop(Iop_CmpNE64, latest, line));
}

static VG_REGPARM(2) void count_access(Addr address, UWord size) {
    rc_counts.accesses++;
    rc_access(address, size);
}

/* Of what is larger than a line, as saved registers are, the first line stands for all. */
static void access(Block *block, IRExpr *address, Int size) {
    Int line = 1 << rc_l1.line_bits;
    size = size < line ? size : line;
    block->read = NULL;
    if (!block->counts)
        return;
    block->accesses++;
    IRExpr **arguments = mkIRExprVec_2(address, mkIRExpr_HWord((HWord)size));
    call(block, "rc_access", &rc_access, arguments, is_not_latest(block, address, size));
}

static void access_if(Block *block, IRExpr *guard, IRExpr *address, Int size) {
    block->read = NULL;
    if (block->counts)
        call(block, "count_access", &count_access, mkIRExprVec_2(address, mkIRExpr_HWord((HWord)size)),
             guard);
}

static void read(Block *block, IRExpr *address, Int size) {
    access(block, address, size);
    block->read = address;
    block->read_size = size;
}

/* An instruction that changes what it has just read accesses it once. */
static void write(Block *block, IRExpr *address, Int size) {
    if (block->read && block->read_size == size && eqIRAtom(block->read, address))
        block->read = NULL;
    else
        access(block, address, size);
}

static Int size_of(Block *block, IRExpr *value) {
    return sizeofIRType(typeOfIRExpr(block->out->tyenv, value));
}

static void access_loaded_if(Block *block, const IRLoadG *load) {
    IRType widened, loaded;
    typeOfIRLoadGOp(load->cvt, &widened, &loaded);
    access_if(block, load->guard, load->addr, sizeofIRType(loaded));
}

static void access_by_helper(Block *block, const IRDirty *helper) {
    if (helper->mFx == Ifx_None)
        return;
    if (helper->guard->tag == Iex_Const)
        access(block, helper->mAddr, helper->mSize);
    else
        access_if(block, helper->guard, helper->mAddr, helper->mSize);
}

static void access_swapped(Block *block, const IRCAS *swap) {
    access(block, swap->addr, size_of(block, swap->dataLo) * (swap->dataHi ? 2 : 1));
}

static void access_linked(Block *block, const IRStmt *statement) {
    IRExpr *stored = statement->Ist.LLSC.storedata;
    Int size = stored ? size_of(block, stored)
                      : sizeofIRType(typeOfIRTemp(block->out->tyenv, statement->Ist.LLSC.result));
    access(block, statement->Ist.LLSC.addr, size);
}

/* ---- statements */

static void begin_instruction(Block *block, Addr address, UInt length) {
    if (address != block->next)
        block->counts = !is_left_out(address);
    block->next = address + length;
    block->instructions += block->counts;
    block->read = NULL;
}

static void instrument(Block *block, IRStmt *statement) {
    switch (statement->tag) {
    case Ist_IMark:
        begin_instruction(block, statement->Ist.IMark.addr, statement->Ist.IMark.len);
        break;
    case Ist_Exit:
        count(block);
        break;
    case Ist_WrTmp:
        if (statement->Ist.WrTmp.data->tag == Iex_Load)
            read(block, statement->Ist.WrTmp.data->Iex.Load.addr,
                 sizeofIRType(statement->Ist.WrTmp.data->Iex.Load.ty));
        break;
    case Ist_Store:
        write(block, statement->Ist.Store.addr, size_of(block, statement->Ist.Store.data));
        break;
    case Ist_LoadG:
        access_loaded_if(block, statement->Ist.LoadG.details);
        break;
    case Ist_StoreG:
        access_if(block, statement->Ist.StoreG.details->guard, statement->Ist.StoreG.details->addr,
                  size_of(block, statement->Ist.StoreG.details->data));
        break;
    case Ist_Dirty:
        access_by_helper(block, statement->Ist.Dirty.details);
        break;
    case Ist_CAS:
        access_swapped(block, statement->Ist.CAS.details);
        break;
    case Ist_LLSC:
        access_linked(block, statement);
        break;
    default:
        break;
    }
    addStmtToIRSB(block->out, statement);
}

/* ---- what Valgrind cannot execute */

static VG_REGPARM(1) void report_avx512(Addr address) {
    static const HChar text[] = "autoanalyzer: AVX-512 at %s: a program that Valgrind can run wanted; "
                                "for the counting run, compile with -mno-avx512f or -march=x86-64-v3\n";
    static Bool said;
    if (!said)
        VG_(printf)(text, VG_(describe_IP)(VG_(current_DiEpoch)(), address, NULL));
    said = True;
}

static void check_decoded(Block *block) {
    IRExpr *next = block->out->next;
    if (block->out->jumpkind != Ijk_NoDecode || next->tag != Iex_Const)
        return;
    Addr address = next->Iex.Const.con->Ico.U64;
    if (*(const UChar *)address == EVEX) {
        IRDirty *report = unsafeIRDirty_0_N(1, "report_avx512", VG_(fnptr_to_fnentry)(&report_avx512),
                                            mkIRExprVec_1(mkIRExpr_HWord(address)));
        addStmtToIRSB(block->out, IRStmt_Dirty(report));
    }
}

IRSB *rc_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word) {
    Block block = {.out = deepCopyIRSBExceptStmts(in)};
    for (Int i = 0; i < in->stmts_used; i++) {
        if (in->stmts[i])
            instrument(&block, in->stmts[i]);
    }
    count(&block);
    check_decoded(&block);
    return block.out;
}
