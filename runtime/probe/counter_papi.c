/*
 * Counts read by PAPI. Several events can represent a count. An event may be listed but not countable, so the
 * library uses the first event that starts together with those already chosen.
 */
#define _GNU_SOURCE
#include "counter_source.h"
#include "papi.h"
#include "self.h"
#include "silence.h"
#include "usage.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOURCE "measured:papi:"
#define EVENT_LENGTH (AA_SOURCE_LENGTH + 1 - sizeof SOURCE)

/* The names of the counts in AUTOANALYZER_EVENTS, as in instructions=EVENT,l1_misses=EVENT. */
static const char *const metrics[AA_EVENTS] = {
    [AA_INSTRUCTIONS] = "instructions", [AA_CYCLES] = "cycles",           [AA_L1_ACCESSES] = "l1_accesses",
    [AA_L1_MISSES] = "l1_misses",       [AA_L2_ACCESSES] = "l2_accesses", [AA_L2_MISSES] = "l2_misses",
};

/*
 * The default events for each count, best first; the included file is generated from
 * runtime/papi/events.toml.
 */
static const struct {
    int metric;
    const char *event;
    int whole;               /* the count that includes this one, if whole_event is not null */
    const char *whole_event; /* the event to choose for that count at the same time; null: none */
} choices[] = {
#include "papi_choices.h"
};

static char events[AA_COUNTED][EVENT_LENGTH]; /* the chosen event of each count; empty: not counted */
/* a message about requested events that are not counted; empty if all are */
static char lacking[512];
static _Thread_local int event_set AA_INITIAL_EXEC = PAPI_NULL;
/* the events that a policy leaves out, one bit each */
static _Thread_local uint32_t left_out AA_INITIAL_EXEC;
/* flags of the calls to which counting is restricted; 0: no restriction */
static uint32_t counted_calls;
static bool takes_turns; /* whether events are multiplexed; if so, values are estimates, which may decrease */
static _Thread_local uint64_t
    highest[AA_COUNTED] AA_INITIAL_EXEC; /* the highest estimates since the set of events started */
/* whether this is the child of a fork, in which no thread counts */
static bool in_child;

/* ---- events */

/* Returns whether a set of events can be started. */
static bool starts(int set) {
    long long values[AA_COUNTED];
    return aa_papi.start(set) == PAPI_OK && aa_papi.stop(set, values) == PAPI_OK;
}

static void close_set(int set) {
    aa_papi.cleanup_eventset(set);
    aa_papi.destroy_eventset(&set);
}

/*
 * Enables multiplexing in a set without events, so that it can contain more processor events than there are
 * counters. Returns false if this fails.
 */
static bool share_counters(int set) {
    int component = aa_papi.get_component_index("perf_event");
    return component >= 0 && aa_papi.assign_eventset_component(set, component) == PAPI_OK &&
           aa_papi.set_multiplex(set) == PAPI_OK;
}

static int create_set(void) {
    int set = PAPI_NULL;
    if (aa_papi.create_eventset(&set) != PAPI_OK)
        return PAPI_NULL;
    if (!takes_turns || share_counters(set))
        return set;
    close_set(set);
    return PAPI_NULL;
}

static bool is_counted(int metric) {
    return *events[metric] && !(left_out >> metric & 1);
}

/* Returns a set of the events that the thread counts; PAPI_NULL if that is impossible. */
static int open_set(void) {
    int set = create_set();
    for (int i = 0; set != PAPI_NULL && i < AA_COUNTED; i++) {
        if (is_counted(i) && aa_papi.add_named_event(set, events[i]) != PAPI_OK) {
            close_set(set);
            return PAPI_NULL;
        }
    }
    return set;
}

/* Returns whether all events chosen so far start together. */
static bool all_start(void) {
    int set = open_set();
    bool start = set != PAPI_NULL && starts(set);
    if (set != PAPI_NULL)
        close_set(set);
    return start;
}

static void take(int metric, const char *event, size_t length) {
    memcpy(events[metric], event, length);
    events[metric][length] = 0;
}

/*
 * Returns whether to choose an event for a count. If counting is restricted to calls, only instructions in
 * MPI calls get an event.
 */
static bool is_wanted(int metric) {
    return !counted_calls || (metric == AA_INSTRUCTIONS && counted_calls & AA_COUNTS_IN_MPI);
}

static void choose_events(void) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        int metric = choices[i].metric, whole = choices[i].whole;
        if (*events[metric] || !is_wanted(metric))
            continue;
        take(metric, choices[i].event, strlen(choices[i].event));
        if (choices[i].whole_event)
            take(whole, choices[i].whole_event, strlen(choices[i].whole_event));
        if (all_start())
            continue;
        *events[metric] = 0;
        if (choices[i].whole_event)
            *events[whole] = 0;
    }
}

static int metric_of(const char *wish, size_t length) {
    int metric = 0;
    while (metric < AA_EVENTS &&
           (strlen(metrics[metric]) != length || strncmp(metrics[metric], wish, length) != 0))
        metric++;
    return metric;
}

/*
 * Chooses the event of METRIC=EVENT; returns false if the metric is unknown or the event cannot be counted.
 */
static bool grant(const char *wish, size_t length) {
    size_t name = strcspn(wish, "=,");
    int metric = metric_of(wish, name);
    if (name + 1 >= length || metric == AA_EVENTS || *events[metric] || length - name - 1 >= EVENT_LENGTH)
        return false;
    take(metric, wish + name + 1, length - name - 1);
    if (!all_start())
        *events[metric] = 0;
    return *events[metric];
}

/*
 * Puts an event that the user named into the next place, which is the same in all processes; returns false if
 * the event cannot be counted.
 */
static bool grant_named(const char *event, size_t length) {
    static int place = AA_EVENTS;
    if (place == AA_COUNTED - aa_usage_places() || length >= EVENT_LENGTH)
        return false;
    take(place, event, length);
    if (!all_start())
        *events[place] = 0;
    return *events[place++];
}

static void note_lack(const char *wanted, const char *wish, size_t length) {
    static const char *noted;
    size_t used = strlen(lacking);
    snprintf(lacking + used, sizeof lacking - used, "%s%s %.*s", used ? noted == wanted ? "," : "; " : "",
             noted == wanted ? "" : wanted, (int)length, wish);
    noted = wanted;
}

static void grant_all(const char *wishes, bool (*grant_one)(const char *, size_t), const char *wanted) {
    while (*wishes) {
        size_t length = strcspn(wishes, ",");
        if (length && !grant_one(wishes, length))
            note_lack(wanted, wishes, length);
        wishes += length + (wishes[length] == ',');
    }
}

/* Chooses all events. Events that the user named come first; default events get the remaining counters. */
static void grant_wishes(void) {
    static const char wanted[] =
        "AUTOANALYZER_EVENTS: expected at most one METRIC=EVENT for each of instructions, cycles, "
        "l1_accesses, l1_misses, l2_accesses and l2_misses, with an event that can be started; "
        "not counted:";
    static const char named[] =
        "AUTOANALYZER_COUNTERS: expected at most 6 events that can be started together; not counted:";
    const char *counters = getenv("AUTOANALYZER_COUNTERS"), *wishes = getenv("AUTOANALYZER_EVENTS");
    const char *list = counters ? strchr(counters, ':') : NULL;
    if (list)
        grant_all(list + 1, grant_named, named);
    if (!wishes || !*wishes)
        choose_events();
    else if (strcmp(wishes, "none") != 0)
        grant_all(wishes, grant, wanted);
}

/* Returns whether events can be multiplexed. This requires that PAPI knows at least one processor event. */
static bool can_take_turns(void) {
    if (!aa_papi_bind_multiplexing() || aa_papi.multiplex_init() != PAPI_OK)
        return false;
    takes_turns = true;
    int set = create_set();
    if (set == PAPI_NULL)
        return false;
    close_set(set);
    return true;
}

static const char *open_events(void) {
    const char *defect = aa_papi_open(), *turns = getenv("AUTOANALYZER_MULTIPLEX");
    if (defect)
        return defect;
    if (turns && *turns && strcmp(turns, "0") != 0 && !can_take_turns())
        return "AUTOANALYZER_MULTIPLEX: there are no hardware counters that events could share";
    grant_wishes();
    for (int i = 0; i < AA_COUNTED; i++) {
        if (*events[i])
            return NULL;
    }
    return "no event can be started (virtual machine? perf_event_paranoid?)";
}

/*
 * Returns whether this process may use any of the processor's counters; most virtual machines have none.
 */
static bool has_counters(void) {
    static const uint64_t known[] = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct perf_event_attr event = {.size = sizeof event,
                                        .type = PERF_TYPE_HARDWARE,
                                        .config = known[i],
                                        .exclude_kernel = 1,
                                        .exclude_hv = 1};
        long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (file >= 0) {
            syscall(SYS_close, file);
            return true;
        }
    }
    return false;
}

static const char *load(bool unasked, uint32_t calls) {
    counted_calls = calls;
    const char *events = getenv("AUTOANALYZER_EVENTS");
    if (unasked && !(events && *events) && !has_counters())
        return "the hardware counters are not available";
    struct aa_silence silence = aa_silence_begin(); /* PAPI prints messages about missing libraries */
    const char *defect = open_events();
    aa_silence_end(silence);
    return defect;
}

static uint32_t how(void) {
    return aa_papi_how() | (takes_turns ? AA_COUNTS_BY_TURNS : 0);
}

static const char *lack(void) {
    return *lacking ? lacking : NULL;
}

static void describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]) {
    for (int i = 0; i < AA_COUNTED; i++) {
        if (*events[i])
            snprintf(sources[i], AA_SOURCE_LENGTH, SOURCE "%.*s", (int)EVENT_LENGTH - 1, events[i]);
    }
    memcpy(sources[AA_MPI_INSTRUCTIONS], sources[AA_INSTRUCTIONS], AA_SOURCE_LENGTH);
}

/* ---- threads */

/* The child's threads do not count, because inherited events would continue to count the parent. */
static void forked(void) {
    event_set = PAPI_NULL;
    left_out = 0;
    in_child = true;
}

static bool attach(void) {
    if (event_set != PAPI_NULL)
        return true;
    if (in_child)
        return false;
    aa_papi.register_thread();
    memset(highest, 0, sizeof highest);
    event_set = open_set();
    if (event_set != PAPI_NULL && aa_papi.start(event_set) != PAPI_OK) {
        close_set(event_set);
        event_set = PAPI_NULL;
    }
    if (event_set == PAPI_NULL)
        aa_papi.unregister_thread();
    return event_set != PAPI_NULL;
}

static void detach(void) {
    long long values[AA_COUNTED];
    if (event_set == PAPI_NULL)
        return;
    aa_papi.stop(event_set, values);
    close_set(event_set);
    event_set = PAPI_NULL;
    aa_papi.unregister_thread();
}

/*
 * Replaces the set with another one, because a set cannot be changed while it counts, and a set without
 * events cannot start.
 */
static bool choose(uint32_t counters) {
    uint32_t before = left_out, all = 0;
    if (counters >> AA_MPI_INSTRUCTIONS & 1)
        counters |= 1u << AA_INSTRUCTIONS;
    for (int i = 0; i < AA_COUNTED; i++)
        all |= *events[i] ? 1u << i : 0;
    left_out = all & ~counters;
    if (left_out == before)
        return false;
    detach();
    if (left_out != all)
        attach();
    return true;
}

/*
 * Reads the counters without stopping them. The bias accounts for the library's work before the next
 * interval.
 */
static void stop(uint64_t counts[AA_COUNTED]) {
    long long values[AA_COUNTED] = {0};
    int error = errno, outcome = event_set == PAPI_NULL ? PAPI_NULL : aa_papi.read(event_set, values);
    errno = error;
    if (outcome != PAPI_OK)
        return;
    const long long *value = values;
    for (int i = 0; i < AA_COUNTED; i++) {
        if (!is_counted(i))
            continue;
        /* a negative value means that the event's provider is not loaded yet */
        uint64_t now = *value > 0 ? (uint64_t)*value : 0;
        if (takes_turns)
            now = highest[i] = now > highest[i] ? now : highest[i];
        counts[i] = now;
        value++;
    }
}

static void go(bool in_mpi) {
    (void)in_mpi;
}

const struct aa_counter_source aa_counter_papi = {
    .name = "papi",
    .load = load,
    .describe = describe,
    .lack = lack,
    .how = how,
    .attach = attach,
    .detach = detach,
    .stop = stop,
    .go = go,
    .forked = forked,
    .choose = choose,
};
