/* Counts from rtcount, the Valgrind tool under which the program runs. */
#define _GNU_SOURCE
#include "counter_source.h"
#include "counter_requests.h"

#if __has_include(<valgrind/valgrind.h>)

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <valgrind/valgrind.h>

static struct aa_rtcount_description tool;

_Static_assert(offsetof(struct aa_rtcount_row, instructions) == AA_INSTRUCTIONS * sizeof(uint64_t) &&
                   offsetof(struct aa_rtcount_row, accesses) == AA_L1_ACCESSES * sizeof(uint64_t) &&
                   offsetof(struct aa_rtcount_row, l1_misses) == AA_L1_MISSES * sizeof(uint64_t) &&
                   offsetof(struct aa_rtcount_row, l2_accesses) == AA_L2_ACCESSES * sizeof(uint64_t) &&
                   offsetof(struct aa_rtcount_row, l2_misses) == AA_L2_MISSES * sizeof(uint64_t) &&
                   offsetof(struct aa_rtcount_row, events) == AA_EVENTS * sizeof(uint64_t) &&
                   (int)AA_RTCOUNT_EVENTS <= AA_MOST_EVENTS,
               "a row must contain the same counts as a node");

static bool ask(enum aa_rtcount_request request, const void *first, uintptr_t second) {
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, first, second, 0, 0, 0);
}

/* ---- code that does not belong to the program */

static uint64_t length_of_code(const struct dl_phdr_info *object) {
    uint64_t length = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
            length = segment->p_vaddr + segment->p_memsz;
    }
    return length;
}

/*
 * Excludes this library and the loader from counting, because the cost of a function's first call depends
 * on where the loader searches for its symbol.
 */
static int leave_out_object(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    uint64_t length = length_of_code(object);
    bool is_program = !object->dlpi_name || !*object->dlpi_name;
    bool is_ours = (uintptr_t)&leave_out_object - object->dlpi_addr < length;
    if ((is_ours && !is_program) || object->dlpi_addr == getauxval(AT_BASE))
        ask(AA_RTCOUNT_LEAVE_OUT, (const void *)object->dlpi_addr, length);
    return 0;
}

static const char *load(bool unasked, uint32_t calls) {
    (void)unasked, (void)calls;
    if (!ask(AA_RTCOUNT_DESCRIBE, &tool, 0))
        return "the program does not run under Valgrind's tool rtcount";
    if (tool.version != AA_RTCOUNT_VERSION)
        return "rtcount and the probe library have different versions";
    dl_iterate_phdr(leave_out_object, NULL);
    return NULL;
}

/* ---- counts */

/* Returns the unit for a number of bytes, and converts the number to this unit. */
static const char *to_unit(unsigned long long *bytes) {
    static const char *const units[] = {"", "K", "M", "G"};
    int unit = 0;
    for (; unit < 3 && *bytes % 1024 == 0; unit++)
        *bytes /= 1024;
    return units[unit];
}

/*
 * Writes " NAME=SIZE/WAYS/LINE", the format of CacheLevel in runtime/counting/cache_geometry.py; returns
 * its length.
 */
static int write_cache(char *text, size_t room, const char *name, const struct aa_rtcount_cache *cache) {
    unsigned long long size = cache->size, line = cache->line;
    const char *of_size = to_unit(&size), *of_line = to_unit(&line);
    return snprintf(text, room, " %s=%llu%s/%llu/%llu%s", name, size, of_size, cache->ways, line, of_line);
}

static void write_event(char text[AA_SOURCE_LENGTH], enum aa_rtcount_event event) {
    static const char *const names[AA_RTCOUNT_EVENTS] = AA_RTCOUNT_EVENT_NAMES;
    int length = snprintf(text, AA_SOURCE_LENGTH, "simulated:rtcount:%s", names[event]);
    if (event == AA_RTCOUNT_L3_MISSES)
        write_cache(text + length, AA_SOURCE_LENGTH - (size_t)length, "L3", &tool.l3);
    if (event == AA_RTCOUNT_TLB_MISSES)
        write_cache(text + length, AA_SOURCE_LENGTH - (size_t)length, "TLB", &tool.tlb);
}

/* Writes the sources, from which event_named in runtime/simulated_events.py extracts the names of events. */
static void describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]) {
    static const int counted[] = {AA_INSTRUCTIONS, AA_L1_ACCESSES, AA_L1_MISSES,
                                  AA_L2_ACCESSES,  AA_L2_MISSES,   AA_MPI_INSTRUCTIONS};
    char text[AA_SOURCE_LENGTH] = "simulated:rtcount";
    size_t length = strlen(text);
    length += (size_t)write_cache(text + length, sizeof text - length, "L1", &tool.l1);
    write_cache(text + length, sizeof text - length, "L2", &tool.l2);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        memcpy(sources[counted[i]], text, sizeof text);
    for (int i = 0; i < (int)AA_RTCOUNT_EVENTS; i++)
        if (tool.events >> i & 1)
            write_event(sources[AA_EVENTS + i], i);
}

static bool attach(void) {
    return true;
}

static void detach(void) {}

static void stop(uint64_t counts[AA_COUNTED]) {
    struct aa_rtcount_counts of_tool = {0};
    ask(AA_RTCOUNT_STOP, &of_tool, 0);
    counts[AA_INSTRUCTIONS] = of_tool.instructions;
    counts[AA_L1_ACCESSES] = of_tool.accesses;
    counts[AA_L1_MISSES] = counts[AA_L2_ACCESSES] = of_tool.l1_misses;
    counts[AA_L2_MISSES] = of_tool.l2_misses;
    memcpy(counts + AA_EVENTS, of_tool.events, sizeof of_tool.events);
}

/* Does not stop counting, because this library's own instructions are not counted anyway. */
static void book(uint64_t *into, uint64_t *before, const uint64_t *bias) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(AA_RTCOUNT_BOOK, into, before, bias, 0, 0);
}

/*
 * Resumes counting. Caches are not simulated in MPI calls, because MPI polls a random number of times, which
 * must not affect the caches' contents.
 */
static void go(bool in_mpi) {
    ask(AA_RTCOUNT_GO, (const void *)(uintptr_t)!in_mpi, 0);
}

const struct aa_counter_source aa_counter_simulated = {
    .name = "simulated",
    .has_events = true,
    .load = load,
    .describe = describe,
    .attach = attach,
    .detach = detach,
    .stop = stop,
    .book = book,
    .go = go,
};

#else

static const char *load(bool unasked, uint32_t calls) {
    (void)unasked, (void)calls;
    return "the probe library was built without valgrind.h";
}

const struct aa_counter_source aa_counter_simulated = {.name = "simulated", .load = load};

#endif
