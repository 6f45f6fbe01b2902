/* Counts of rtcount, the Valgrind tool under which the program runs. */
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
               "a row has other counts than a node");

static bool ask(enum aa_rtcount_request request, const void *first, uintptr_t second) {
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, first, second, 0, 0, 0);
}

/* ---- code that is not the program's */

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
        return "rtcount has another version";
    dl_iterate_phdr(leave_out_object, NULL);
    return NULL;
}

/* ---- counts */

/*
 * Writes " NAME=SIZE/WAYS/LINE", the format of CacheLevel in runtime/counting/cache_geometry.py; returns
 * its length.
 */
static int write_cache(char *text, size_t room, const char *name, const struct aa_rtcount_cache *cache) {
    static const char *const units[] = {"", "K", "M", "G"};
    unsigned long long size = cache->size;
    int unit = 0;
    for (; unit < 3 && size % 1024 == 0; unit++)
        size /= 1024;
    return snprintf(text, room, " %s=%llu%s/%llu/%llu", name, size, units[unit], cache->ways, cache->line);
}

/*
 * Writes the sources. That of an event ends in its name, as SIMULATED in runtime/simulated_events.py
 * expects.
 */
static void describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]) {
    static const char *const names[AA_RTCOUNT_EVENTS] = AA_RTCOUNT_EVENT_NAMES;
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
            snprintf(sources[AA_EVENTS + i], AA_SOURCE_LENGTH, "simulated:rtcount:%s", names[i]);
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
 * Counts again. Caches are not simulated in MPI: the number of its polls is random, which must not affect
 * their contents.
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
