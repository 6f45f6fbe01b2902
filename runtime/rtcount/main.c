/*
 * rtcount: a Valgrind tool that counts instructions, data accesses, and misses of L1 and L2 for each thread,
 * and passes the counts to the program that it runs. It is a separate program, built at first use from
 * Valgrind's headers and libraries.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "arithmetic.h"
#include "counts.h"
#include "instrument.h"
#include "requests.h"

#include "pub_tool_clreq.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_transtab.h"

static struct aa_rtcount_cache l1 = {32 << 10, 8, 64}, l2 = {1 << 20, 8, 64}, l3, tlb;
static const HChar *const event_names[AA_RTCOUNT_EVENTS] = AA_RTCOUNT_EVENT_NAMES;
static Bool prints_total, uses_avx2 = True, awaits_denormal;

/* ---- options */

static Bool read_number(const HChar **text, unsigned long long *number) {
    HChar *end;
    *number = (unsigned long long)VG_(strtoll10)(*text, &end);
    Bool found = end != *text;
    *text = *end == ',' ? end + 1 : end;
    return found;
}

static void read_cache(const HChar *option, const HChar *text, struct aa_rtcount_cache *cache) {
    const HChar *at = text;
    if (!read_number(&at, &cache->size) || !read_number(&at, &cache->ways) ||
        !read_number(&at, &cache->line) || *at)
        VG_(fmsg_bad_option)(option, "expected SIZE,WAYS,LINE in bytes, found %s\n", text);
}

static void read_events(const HChar *option, const HChar *text) {
    while (*text) {
        const HChar *end = VG_(strchr)(text, ',');
        SizeT length = end ? (SizeT)(end - text) : VG_(strlen)(text);
        UInt event = 0;
        while (event < AA_RTCOUNT_EVENTS && (VG_(strlen)(event_names[event]) != length ||
                                             VG_(strncmp)(event_names[event], text, length) != 0))
            event++;
        if (event == AA_RTCOUNT_EVENTS)
            VG_(fmsg_bad_option)(option, "expected events, found %s\n", text);
        rc_events |= (UWord)1 << event;
        text += length + (end != NULL);
    }
}

static Bool read_option(const HChar *option) {
    const HChar *text;
    if VG_STR_CLO (option, "--l1", text)
        read_cache(option, text, &l1);
    else if VG_STR_CLO (option, "--l2", text)
        read_cache(option, text, &l2);
    else if VG_STR_CLO (option, "--l3", text)
        read_cache(option, text, &l3);
    else if VG_STR_CLO (option, "--tlb", text)
        read_cache(option, text, &tlb);
    else if VG_STR_CLO (option, "--events", text)
        read_events(option, text);
    else if VG_STR_CLO (option, "--leave-out", text)
        rc_leave_out_function(text);
    else
        return VG_BOOL_CLO(option, "--total", prints_total) || VG_BOOL_CLO(option, "--avx2", uses_avx2) ||
               VG_BOOL_CLO(option, "--await-denormal", awaits_denormal);
    return True;
}

static void print_usage(void) {
    static const HChar text[] =
        "    --l1=SIZE,WAYS,LINE       the L1 data cache, sizes in bytes [32768,8,64]\n"
        "    --l2=SIZE,WAYS,LINE       the L2 cache [1048576,8,64]\n"
        "    --l3=SIZE,WAYS,LINE       the L3 cache, for l3_misses [none]\n"
        "    --tlb=SIZE,WAYS,PAGE      the TLB, for tlb_misses [none]\n"
        "    --events=EVENT,...        divisions, branches, branch_misses, denormals,\n"
        "                              l3_misses, tlb_misses [none]\n"
        "    --await-denormal=yes|no   search for denormals only after the first one [no]\n"
        "    --leave-out=FUNCTION      do not count this function's own code; may be repeated\n"
        "    --total=yes|no            print the counts at the end [no]\n";
    VG_(printf)(text);
}

static void print_debug_usage(void) {
    VG_(printf)("    --avx2=yes|no             use AVX2 if the processor has it [yes]\n");
}

static Geometry geometry(const HChar *option, const struct aa_rtcount_cache *cache) {
    Geometry result = {.ways = cache->ways};
    unsigned long long sets = cache->ways && cache->line ? cache->size / cache->ways / cache->line : 0;
    while ((1ull << result.line_bits) < cache->line)
        result.line_bits++;
    while ((2ull << result.set_bits) <= sets)
        result.set_bits++;
    result.set_mask = ((UWord)1 << result.set_bits) - 1;
    while ((1ull << result.way_bits) < cache->ways)
        result.way_bits++;
    if (cache->line < 32 || sets < 2 || cache->ways << (result.set_bits + result.line_bits) != cache->size)
        VG_(fmsg_bad_option)(option, "expected powers of 2: lines of 32 bytes or more, two sets or more\n");
    return result;
}

static void read_options_done(void) {
    rc_l1 = geometry("--l1", &l1);
    rc_l2 = geometry("--l2", &l2);
    if (rc_l1.set_bits > LARGEST_L1_BITS)
        VG_(fmsg_bad_option)("--l1", "expected at most %u sets\n", 1u << LARGEST_L1_BITS);
    if (rc_l1.line_bits != rc_l2.line_bits)
        VG_(fmsg_bad_option)("--l2", "expected lines as long as those of --l1\n");
    rc_l3 = rc_counts_event(AA_RTCOUNT_L3_MISSES) ? geometry("--l3", &l3) : rc_l2;
    if (rc_l1.line_bits != rc_l3.line_bits)
        VG_(fmsg_bad_option)("--l3", "expected lines as long as those of --l1\n");
    rc_tlb = rc_counts_event(AA_RTCOUNT_TLB_MISSES) ? geometry("--tlb", &tlb) : rc_l2;
    if (rc_l1.line_bits > rc_tlb.line_bits)
        VG_(fmsg_bad_option)("--tlb", "expected pages as long as the lines of --l1, or longer\n");
    rc_choose_access(uses_avx2);
    if (rc_counts_event(AA_RTCOUNT_DENORMALS))
        rc_search = awaits_denormal ? AWAITED : FOUND;
}

/* ---- requests */

static void describe(struct aa_rtcount_description *description) {
    description->version = AA_RTCOUNT_VERSION;
    description->l1 = l1;
    description->l2 = l2;
    description->l3 = l3;
    description->tlb = tlb;
    description->events = rc_events;
}

static Bool answer(ThreadId thread, UWord *words, UWord *result) {
    *result = 1;
    switch (words[0]) {
    case AA_RTCOUNT_DESCRIBE:
        describe((struct aa_rtcount_description *)words[1]);
        return True;
    case AA_RTCOUNT_LEAVE_OUT:
        rc_leave_out(words[1], words[2]);
        VG_(discard_translations_safely)(words[1], words[2], "rtcount");
        return True;
    default:
        return rc_answer(words);
    }
}

/* ---- the tool */

static void run_thread(ThreadId thread, ULong blocks) {
    rc_thread_runs(thread);
}

static void leave_code(ThreadId thread, ULong blocks) {
    rc_note_denormals();
}

static void finish(Int status) {
    static const HChar text[] = "instructions %llu accesses %llu l1_misses %llu l2_misses %llu\n";
    const struct aa_rtcount_counts *all = &rc_counts;
    if (!prints_total)
        return;
    VG_(umsg)(text, all->instructions, all->accesses, all->l1_misses, all->l2_misses);
    for (UInt i = 0; i < AA_RTCOUNT_EVENTS; i++) {
        if (rc_counts_event(i))
            VG_(umsg)("%s %llu\n", event_names[i], all->events[i]);
    }
}

static void register_tool(void) {
    VG_(details_name)("rtcount");
    VG_(details_version)("1");
    VG_(details_description)("counts for the regions of a program");
    VG_(details_copyright_author)("The autoanalyzer developers; GPL-2.0-or-later.");
    VG_(details_bug_reports_to)("the autoanalyzer developers");
    /* As in other profilers, only the stack pointer must be exact at memory accesses. */
    /* Translation ends at each branch; otherwise, code after a branch might count although it is not
     * executed. */
    VG_(clo_vex_control).guest_chase = False;
    VG_(clo_vex_control).iropt_register_updates_default = VG_(clo_px_file_backed) = VexRegUpdSpAtMemAccess;
    VG_(basic_tool_funcs)(read_options_done, rc_instrument, finish);
    VG_(needs_command_line_options)(read_option, print_usage, print_debug_usage);
    VG_(needs_client_requests)(answer);
    VG_(track_start_client_code)(run_thread);
    VG_(track_stop_client_code)(leave_code);
    VG_(track_pre_thread_ll_create)(rc_thread_is_made);
    VG_(track_pre_thread_first_insn)(rc_thread_starts);
}

VG_DETERMINE_INTERFACE_VERSION(register_tool)
