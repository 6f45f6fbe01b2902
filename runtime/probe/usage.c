#define _GNU_SOURCE
#include "usage.h"
#include "energy.h"
#include "malloc/allocation.h"
#include "self.h"
#include "system.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WANTED "AUTOANALYZER_USAGE"
#define BY_DEFAULT "page_faults,system_time"
#define LOOKED_AT 2 /* number of metrics that are read with the CPU clock: page faults and system time */

/*
 * If page faults take a sixteenth of the time, the interval between readings is 0.2 ms instead of 2 ms. A
 * sixteenth is clearly less than the tenth that the analysis considers significant (THRESHOLD in
 * analyze/run/criteria.py). At 0.3 us each, these readings take 0.15 % of the time. They continue for 64
 * readings, 13 ms, so that short pauses do not end them.
 */
#define FILLED 16 /* bytes per nanosecond; filling pages in memory with zeros was measured at 18 to 21 */
#define MANY 16
#define HASTE 10u
#define HASTY 64u

enum metric {
    PAGE_FAULTS,
    MAJOR_PAGE_FAULTS,
    CONTEXT_SWITCHES,
    INVOLUNTARY_CONTEXT_SWITCHES,
    SYSTEM_TIME,
    ENERGY,
    DRAM_ENERGY,
    ALLOCATED_BYTES,
    ALLOCATIONS,
    FREED_BYTES,
    FREES,
    METRICS
};

/* The same names as in USAGE_METRICS (experiment/metric.py). */
static const char *const names[METRICS] = {
    [PAGE_FAULTS] = "page_faults",
    [MAJOR_PAGE_FAULTS] = "major_page_faults",
    [CONTEXT_SWITCHES] = "context_switches",
    [INVOLUNTARY_CONTEXT_SWITCHES] = "involuntary_context_switches",
    [SYSTEM_TIME] = "system_time",
    [ENERGY] = "energy",
    [DRAM_ENERGY] = "dram_energy",
    [ALLOCATED_BYTES] = "allocated_bytes",
    [ALLOCATIONS] = "allocations",
    [FREED_BYTES] = "freed_bytes",
    [FREES] = "frees",
};

static int place_of[METRICS]; /* the place of each metric, an enum aa_counter; 0: not counted */
static int places;
static uint32_t of_own_code;         /* places whose metric excludes library calls, one bit each */
static double nanoseconds_per_fault; /* the time to fill the page with zeros; the fault itself takes longer */
static bool asks_system, asks_energy, looks;
static bool claims_node;
/* a message about named metrics that are not counted; empty if all are */
static char lacking[512];
static _Thread_local bool of_the_node AA_INITIAL_EXEC; /* whether this thread counts the node's energy */
static _Thread_local struct {
    uint64_t faults, system, ticks, outside;
    unsigned hasty; /* number of remaining readings with the short period */
    /*
     * whether a reading in a call follows a reading outside calls, so that the use by code before the call is
     * lost
     */
    bool is_in_vain;
} looked AA_INITIAL_EXEC;

static void note_lack(const char *format, ...) {
    size_t used = strlen(lacking);
    va_list arguments;
    used += (size_t)snprintf(lacking + used, sizeof lacking - used, "%s", used ? "; " : WANTED ": ");
    if (used >= sizeof lacking)
        return;
    va_start(arguments, format);
    vsnprintf(lacking + used, sizeof lacking - used, format, arguments);
    va_end(arguments);
}

/* ---- allocation */

static void add(struct aa_thread *thread, enum metric metric, uint64_t value) {
    if (place_of[metric])
        thread->current->counters[place_of[metric]] += value;
}

/*
 * Adds allocations to the current node. Allocations by this library, and by threads without a tree, belong to
 * no region.
 */
static void note_allocation(uint64_t allocated, uint64_t freed, uint32_t allocations, uint32_t frees) {
    struct aa_thread *thread = aa_thread_self;
    if (!thread || aa_thread_closed)
        return;
    add(thread, ALLOCATED_BYTES, allocated);
    add(thread, FREED_BYTES, freed);
    add(thread, ALLOCATIONS, allocations);
    add(thread, FREES, frees);
}

static const char *watch_allocation(void) {
    static const char *defect;
    static bool is_asked;
    if (!is_asked) {
        aa_allocation_watch_function *watch =
            (aa_allocation_watch_function *)dlsym(RTLD_DEFAULT, "aa_allocation_watch");
        defect = watch ? watch(note_allocation) : "the library that counts allocations is not preloaded";
        is_asked = true;
    }
    return defect;
}

/* ---- the environment */

static const char *defect_of(enum metric metric) {
    if (metric >= ALLOCATED_BYTES)
        return watch_allocation();
    if (metric == ENERGY || metric == DRAM_ENERGY)
        return aa_energy_open(metric == ENERGY ? AA_PACKAGES : AA_DRAM);
    return NULL;
}

/*
 * Assigns the next place to a named metric. All processes use the same places, even for metrics that they
 * cannot count.
 */
static void take(const char *name, size_t length) {
    int metric = 0;
    while (metric < METRICS && (strlen(names[metric]) != length || strncmp(names[metric], name, length) != 0))
        metric++;
    if (metric == METRICS) {
        note_lack("no metric '%.*s' can be counted", (int)length, name);
    } else if (places == AA_MOST_EVENTS) {
        note_lack("expected at most %d metrics; not counted: %s", AA_MOST_EVENTS, names[metric]);
    } else if (!place_of[metric]) {
        const char *defect = defect_of(metric);
        int place = AA_COUNTED - ++places;
        if (defect) {
            note_lack("%s is not counted: %s", names[metric], defect);
            return;
        }
        place_of[metric] = place;
        if (metric <= MAJOR_PAGE_FAULTS || metric == SYSTEM_TIME)
            of_own_code |= 1u << place;
        asks_system |= metric < ENERGY;
        asks_energy |= metric == ENERGY || metric == DRAM_ENERGY;
    }
}

static void take_all(const char *wanted) {
    while (*wanted) {
        size_t length = strcspn(wanted, ",");
        if (length)
            take(wanted, length);
        wanted += length + (wanted[length] == ',');
    }
}

/* Returns whether the user named PAPI events, which may need all counter slots. */
static bool are_events_named(void) {
    const char *counters = getenv("AUTOANALYZER_COUNTERS");
    return counters && strchr(counters, ':');
}

void aa_usage_load(void) {
    const char *wanted = getenv(WANTED);
    if (wanted)
        take_all(wanted);
    looks = !aa_usage_is_asked() && places + LOOKED_AT <= AA_MOST_EVENTS && !are_events_named();
    if (looks) {
        take_all(BY_DEFAULT);
        asks_system = false;
        nanoseconds_per_fault = (double)sysconf(_SC_PAGESIZE) / FILLED;
        aa_usage_look(NULL);
    }
    of_the_node = claims_node = asks_energy && aa_energy_is_counted_here();
}

void aa_usage_forked(void) {
    of_the_node = claims_node = false;
    memset(&looked, 0, sizeof looked);
}

int aa_usage_places(void) {
    return places;
}

bool aa_usage_is_of_own_code(int place) {
    return of_own_code >> place & 1;
}

bool aa_usage_is_asked(void) {
    return asks_system || asks_energy;
}

/*
 * Energy is claimed here, not when the library is loaded, because most programs that load the library record
 * nothing.
 */
void aa_usage_describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH], bool counts) {
    claims_node = claims_node && aa_energy_claim();
    for (int metric = 0; metric < METRICS; metric++) {
        const char *how = metric >= ALLOCATED_BYTES ? "malloc"
                          : metric < ENERGY         ? (looks ? "sampled" : "getrusage")
                                                    : aa_energy_source();
        if (place_of[metric] && !(looks && counts))
            snprintf(sources[place_of[metric]], AA_SOURCE_LENGTH, "measured:%s:%s", how, names[metric]);
    }
}

const char *aa_usage_lack(void) {
    return *lacking ? lacking : NULL;
}

/* ---- at events */

static void put(uint64_t counts[AA_COUNTED], enum metric metric, uint64_t value) {
    if (place_of[metric])
        counts[place_of[metric]] = value;
}

static void ask_system(uint64_t counts[AA_COUNTED]) {
    uint64_t system[AA_SYSTEM_VALUES], time = aa_system_of_thread(system);
    put(counts, SYSTEM_TIME, time);
    put(counts, PAGE_FAULTS, system[AA_MINOR_FAULTS] + system[AA_MAJOR_FAULTS]);
    put(counts, MAJOR_PAGE_FAULTS, system[AA_MAJOR_FAULTS]);
    put(counts, CONTEXT_SWITCHES, system[AA_VOLUNTARY_SWITCHES] + system[AA_INVOLUNTARY_SWITCHES]);
    put(counts, INVOLUNTARY_CONTEXT_SWITCHES, system[AA_INVOLUNTARY_SWITCHES]);
}

static void ask_energy(uint64_t counts[AA_COUNTED]) {
    aa_energy_ask();
    put(counts, ENERGY, aa_energy_of(AA_PACKAGES));
    put(counts, DRAM_ENERGY, aa_energy_of(AA_DRAM));
}

void aa_usage_ask(uint64_t counts[AA_COUNTED]) {
    int error = errno; /* the program's, restored at the end */
    if (asks_system)
        ask_system(counts);
    if (of_the_node && claims_node)
        ask_energy(counts);
    errno = error;
}

/* ---- regular readings */

void aa_usage_begin(const struct aa_thread *thread) {
    looked.ticks = thread->last;
    looked.outside = thread->outside;
}

/*
 * Adds only a share of the use since the last reading to the current node, because short library calls
 * between the two readings use the system, too.
 */
static void book(struct aa_thread *thread, uint64_t faults, uint64_t system) {
    double took = (double)(thread->last - looked.ticks);
    double outside = (double)(thread->outside - looked.outside);
    double share = outside < took ? 1 - outside / took : 0;
    bool in_call = thread->call.share != AA_OWN;
    looked.is_in_vain = in_call && !looked.is_in_vain;
    if (!in_call) {
        add(thread, PAGE_FAULTS, (uint64_t)(share * (double)faults + 0.5));
        add(thread, SYSTEM_TIME, (uint64_t)(share * (double)system + 0.5));
    }
    if ((double)faults * nanoseconds_per_fault * MANY >= took / aa_clock_rate())
        looked.hasty = HASTY;
    else if (looked.hasty)
        looked.hasty--;
    aa_usage_begin(thread);
}

/* Returns the increase since the last reading; 0 if a signal handler has already taken a later reading. */
static uint64_t advance(uint64_t *looked_at, uint64_t now) {
    uint64_t increase = now > *looked_at ? now - *looked_at : 0;
    *looked_at += increase;
    return increase;
}

void aa_usage_look(struct aa_thread *thread) {
    if (!looks)
        return;
    int error = errno; /* the program's, restored at the end */
    if (thread)
        /* so that no event in a signal handler starts another reading in the meantime */
        thread->due += thread->last - looked.ticks;
    uint64_t system[AA_SYSTEM_VALUES], time = advance(&looked.system, aa_system_of_thread(system));
    uint64_t faults = advance(&looked.faults, system[AA_MINOR_FAULTS] + system[AA_MAJOR_FAULTS]);
    if (thread)
        book(thread, faults, time);
    errno = error;
}

unsigned aa_usage_haste(void) {
    return looked.hasty || looked.is_in_vain ? HASTE : 1;
}
