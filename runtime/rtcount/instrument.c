/*
 * Adds counting code to superblocks. At each exit of a superblock, it adds the instructions and accesses
 * since the last exit to the counts. If an access's place shows that its line is in L1, the line is marked as
 * used; any other access calls rc_access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "instrument.h"

#include "arithmetic.h"
#include "branches.h"
#include "counts.h"
#include "fused.h"
#include "ir.h"
#include "parts.h"
#include "requests.h"
#include "strings.h"
#include "undecoded.h"
#include "vectors.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"

#define MOST_RANGES 16
#define MOST_NAMES 64
#define MOST_WAITING 8 /* maximum number of accesses looked up together, because the calls use registers */

#if defined(VG_BIGENDIAN)
#define HOST_ENDIAN Iend_BE
#else
#define HOST_ENDIAN Iend_LE
#endif

/* ---- code that is not counted */

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

/* ---- the superblock that is being instrumented */

typedef struct {
    IRExpr *address;
    Int size;
    UInt number; /* the access's number since the last exit, from 1 */
} Waiting;

typedef struct {
    IRSB *out;
    Waiting waiting[MOST_WAITING]; /* accesses that are looked up together, in order */
    UInt waiting_count;
    UInt instructions, accesses, divisions, branches; /* the number of each since the last exit */
    IRExpr *accesses_before;                          /* number of earlier accesses; NULL: not loaded yet */
    IRExpr *places;                                   /* rc_places; NULL: not loaded yet */
    Bool counts;                                      /* whether the current instruction is counted */
    Addr address, next;                               /* addresses of the current and the next instruction */
    IRExpr *read; /* the last address that the instruction has read, in case it also writes to it */
    Int read_size;
    Int last_part;     /* the last statement that reads a part of an access that was already counted */
    Addr repeated;     /* the current repeated string instruction; 0 if there is none */
    UInt string_count; /* number of strings that the instruction's current element has accessed */
    Vectors vectors;
    Denormals denormals;
} Block;

static IRExpr *word(Block *block, IROp operation, IRExpr *left, IRExpr *right) {
    return let(block->out, Ity_I64, IRExpr_Binop(operation, left, right));
}

static IRExpr *constant(ULong value) {
    return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *shift(Block *block, IROp operation, IRExpr *value, UInt bits) {
    return word(block, operation, value, IRExpr_Const(IRConst_U8(bits)));
}

static IRExpr *load(Block *block, IRExpr *address) {
    return let(block->out, Ity_I64, IRExpr_Load(HOST_ENDIAN, Ity_I64, address));
}

static void store(Block *block, IRExpr *address, IRExpr *value) {
    addStmtToIRSB(block->out, IRStmt_Store(HOST_ENDIAN, address, value));
}

static IRExpr *load_once(Block *block, IRExpr **loaded, void *variable) {
    if (!*loaded)
        *loaded = load(block, mkIRExpr_HWord((HWord)variable));
    return *loaded;
}

static void add(Block *block, unsigned long long *counter, IRExpr *before, UInt number) {
    store(block, mkIRExpr_HWord((HWord)counter), word(block, Iop_Add64, before, constant(number)));
}

static void call(Block *block, const HChar *name, void *function, IRExpr *address, HWord size,
                 IRExpr *guard) {
    IRExpr **arguments = mkIRExprVec_2(address, mkIRExpr_HWord(size));
    IRDirty *call = unsafeIRDirty_0_N(2, name, VG_(fnptr_to_fnentry)(function), arguments);
    call->guard = guard;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

static IRExpr *place_of(Block *block, IRExpr *address) {
    IRExpr *folded = word(block, Iop_Xor64, shift(block, Iop_Shr64, address, PLACE_BITS), address);
    IRExpr *offset = word(block, Iop_And64, shift(block, Iop_Shr64, folded, rc_l1.line_bits - LOG_PLACE),
                          constant(((1 << PLACE_BITS) - 1) << LOG_PLACE));
    return word(block, Iop_Add64, load_once(block, &block->places, &rc_places), offset);
}

static void look_up(Block *block, const Waiting *access) {
    IRExpr *before = load_once(block, &block->accesses_before, &rc_counts.accesses);
    IRExpr *place = place_of(block, access->address);
    IRExpr *distance = word(block, Iop_Sub64, access->address, load(block, load(block, place)));
    IRExpr *behind = constant((1 << rc_l1.line_bits) - access->size + 1);
    IRExpr *is_found = let(block->out, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, distance, behind));
    call(block, "rc_access", rc_access, access->address, ((HWord)access->number << SIZE_BITS) + access->size,
         let(block->out, Ity_I1, IRExpr_Unop(Iop_Not1, is_found)));
    IRExpr *used = word(block, Iop_Add64, load(block, place), constant(rc_l1.ways * sizeof(Way)));
    store(block, used, word(block, Iop_Add64, before, constant(access->number)));
}

static void look_up_waiting(Block *block) {
    for (UInt i = 0; i < block->waiting_count; i++)
        look_up(block, &block->waiting[i]);
    block->waiting_count = 0;
}

static void add_to(Block *block, unsigned long long *counter, UInt number) {
    if (number)
        add(block, counter, load(block, mkIRExpr_HWord((HWord)counter)), number);
}

static void count(Block *block) {
    look_up_waiting(block);
    add_to(block, &rc_counts.instructions, block->instructions);
    if (block->accesses)
        add(block, &rc_counts.accesses, block->accesses_before, block->accesses);
    add_to(block, &rc_counts.events[AA_RTCOUNT_DIVISIONS], block->divisions);
    add_to(block, &rc_counts.events[AA_RTCOUNT_BRANCHES], block->branches);
    block->instructions = block->accesses = block->divisions = block->branches = 0;
    block->accesses_before = NULL;
}

/* ---- accesses */

static VG_REGPARM(2) void count_access(Addr address, UWord size) {
    rc_counts.accesses++;
    rc_access(address, size);
}

/* ---- repeated string instructions: one instruction, and one access for each line of each string */

static void access_string(Block *block, IRExpr *address, Int size) {
    UInt number = block->string_count++;
    if (!block->counts)
        return;
    count(block);
    IRExpr *line = load(block, mkIRExpr_HWord((HWord)&rc_strings.lines[number]));
    IRExpr *behind = constant((1 << rc_l1.line_bits) - size + 1);
    IRExpr *is_inside =
        let(block->out, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, word(block, Iop_Sub64, address, line), behind));
    call(block, "access_element", &rc_access_element, address, ((HWord)number << SIZE_BITS) + size,
         let(block->out, Ity_I1, IRExpr_Unop(Iop_Not1, is_inside)));
}

static void end_string_if(Block *block, IRExpr *guard) {
    if (!block->counts)
        return;
    count(block);
    IRDirty *call =
        unsafeIRDirty_0_N(0, "end_string", VG_(fnptr_to_fnentry)(&rc_end_string), mkIRExprVec_0());
    call->guard = guard;
    addStmtToIRSB(block->out, IRStmt_Dirty(call));
}

/* Ends the repeated string instruction, unless the next instruction is the same one. */
static void end_string_before(Block *block, Addr next) {
    if (block->repeated && block->repeated != next)
        end_string_if(block, IRExpr_Const(IRConst_U1(True)));
}

/* ---- accesses of all kinds */

/* An access larger than a line, as when registers are saved, counts as one access to its first line. */
static void access(Block *block, IRExpr *address, Int size) {
    Int line = 1 << rc_l1.line_bits;
    size = size < line ? size : line;
    block->read = NULL;
    if (block->repeated)
        access_string(block, address, size);
    if (block->repeated || !block->counts)
        return;
    if (block->waiting_count == MOST_WAITING)
        look_up_waiting(block);
    block->waiting[block->waiting_count++] = (Waiting){address, size, ++block->accesses};
}

static void access_if(Block *block, IRExpr *guard, IRExpr *address, Int size) {
    block->read = NULL;
    if (!block->counts)
        return;
    count(block);
    call(block, "count_access", &count_access, address, size, guard);
}

static void read(Block *block, IRExpr *address, Int size) {
    access(block, address, size);
    block->read = address;
    block->read_size = size;
}

/* A write to an address that the same instruction has just read does not count as another access. */
static void write(Block *block, IRExpr *address, Int size) {
    if (block->read && block->read_size == size && eqIRAtom(block->read, address))
        block->read = NULL;
    else
        access(block, address, size);
}

static void read_at_once(Block *block, const IRSB *in, Int statement) {
    if (statement <= block->last_part)
        return;
    Int bytes = rc_bytes_read(in, statement, &block->last_part);
    read(block, in->stmts[statement]->Ist.WrTmp.data->Iex.Load.addr, bytes);
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

static Addr target_of(const IRConst *target) {
    return target->tag == Ico_U64 ? target->Ico.U64 : target->Ico.U32;
}

static void begin_instruction(Block *block, Addr address, UInt length) {
    end_string_before(block, address);
    rc_end_arithmetic(&block->denormals, block->out);
    if (address != block->next)
        block->counts = !is_left_out(address);
    block->address = address;
    block->next = address + length;
    block->repeated = rc_is_repeated(address, length) ? address : 0;
    block->string_count = 0;
    block->instructions += block->counts && !block->repeated;
    block->read = NULL;
}

/* An exit to the instruction itself is not a branch: it repeats an atomic operation that another thread has
 * disturbed. */
static Bool is_branch(const Block *block, const IRStmt *exit) {
    return exit->Ist.Exit.jk == Ijk_Boring && !block->repeated &&
           target_of(exit->Ist.Exit.dst) != block->address;
}

/* Valgrind may exit if the branch is not taken; in this case, the guard is inverted. */
static void predict(Block *block, const IRStmt *exit) {
    Bool is_taken = target_of(exit->Ist.Exit.dst) != block->next;
    IRExpr *guard = exit->Ist.Exit.guard;
    rc_predict(block->out, block->address,
               is_taken ? guard : let(block->out, Ity_I1, IRExpr_Unop(Iop_Not1, guard)));
}

static void leave(Block *block, const IRStmt *exit) {
    Bool counts = block->counts && is_branch(block, exit);
    block->branches += counts && rc_counts_event(AA_RTCOUNT_BRANCHES);
    count(block);
    rc_count_denormals(&block->denormals, block->out);
    if (counts && rc_counts_event(AA_RTCOUNT_BRANCH_MISSES))
        predict(block, exit);
    if (block->repeated && target_of(exit->Ist.Exit.dst) != block->repeated)
        end_string_if(block, exit->Ist.Exit.guard);
}

static void instrument(Block *block, const IRSB *in, Int number) {
    IRStmt *statement = in->stmts[number];
    switch (statement->tag) {
    case Ist_IMark:
        begin_instruction(block, statement->Ist.IMark.addr, statement->Ist.IMark.len);
        break;
    case Ist_Exit:
        leave(block, statement);
        break;
    case Ist_WrTmp:
        if (statement->Ist.WrTmp.data->tag == Iex_Load)
            read_at_once(block, in, number);
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
    IRStmt *changed = rc_keep_whole(&block->vectors, block->out, rc_fuse(block->out, statement));
    addStmtToIRSB(block->out, changed);
    if (!block->counts)
        return;
    block->divisions += rc_counts_event(AA_RTCOUNT_DIVISIONS) && rc_divides(statement);
    rc_look_for_denormals(&block->denormals, block->out, statement);
}

IRSB *rc_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word) {
    Block block = {.out = deepCopyIRSBExceptStmts(in), .last_part = -1};
    rc_find_fused(host);
    rc_await_denormals(block.out, in);
    for (Int i = 0; i < in->stmts_used; i++)
        instrument(&block, in, i);
    end_string_before(&block, in->next->tag == Iex_Const ? target_of(in->next->Iex.Const.con) : 0);
    count(&block);
    rc_count_denormals(&block.denormals, block.out);
    rc_answer_here(block.out);
    rc_check_decoded(block.out);
    return block.out;
}
