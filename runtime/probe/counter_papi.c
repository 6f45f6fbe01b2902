/*
 * Counts of PAPI, whose library is opened where it is found. Of the events that could stand for a count the
 * first is taken that really starts beside those taken before: that one is listed is no proof.
 */
#define _GNU_SOURCE
#include "counter.h"
#include "thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAPI_OK 0
#define PAPI_NULL (-1)
#define EVENT_LENGTH 64

static const struct { int major, minor; } versions[] = {{7, 2}, {7, 1}, {7, 0}, {6, 0}, {5, 7}, {5, 6}};

/* Names that AUTOANALYZER_EVENTS uses, as in instructions=EVENT,l1_misses=EVENT. */
static const struct {
    const char *name;
    const char *events[5];
} metrics[AA_COUNTED] = {
    [AA_INSTRUCTIONS] = {"instructions", {"PAPI_TOT_INS", "perf::INSTRUCTIONS"}},
    [AA_CYCLES] = {"cycles", {"PAPI_TOT_CYC", "perf::CYCLES"}},
    [AA_L1_ACCESSES] = {"l1_accesses", {"PAPI_L1_DCA", "PAPI_LST_INS", "perf::L1-DCACHE-LOADS"}},
    [AA_L1_MISSES] = {"l1_misses", {"PAPI_L1_DCM", "PAPI_L1_LDM", "perf::L1-DCACHE-LOAD-MISSES"}},
    [AA_L2_ACCESSES] = {"l2_accesses", {"PAPI_L2_DCA", "PAPI_L2_TCA"}},
    [AA_L2_MISSES] = {"l2_misses", {"PAPI_L2_DCM", "PAPI_L2_TCM"}},
};

static struct {
    int (*library_init)(int);
    int (*thread_init)(unsigned long (*)(void));
    int (*register_thread)(void);
    int (*unregister_thread)(void);
    int (*create_eventset)(int *);
    int (*add_named_event)(int, const char *);
    int (*cleanup_eventset)(int);
    int (*destroy_eventset)(int *);
    int (*start)(int);
    int (*stop)(int, long long *);
    int (*read)(int, long long *);
} papi;

static char events[AA_COUNTED][EVENT_LENGTH]; /* empty: not counted */
static _Thread_local int event_set AA_INITIAL_EXEC = PAPI_NULL;

/* ---- the library */

static void *open_library(void) {
    char name[32];
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof versions / sizeof *versions; i++) {
        snprintf(name, sizeof name, "libpapi.so.%d.%d", versions[i].major, versions[i].minor);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return library ? library : dlopen("libpapi.so", RTLD_NOW | RTLD_LOCAL);
}

static bool bind(void *library) {
    static const struct {
        const char *name;
        void *pointer;
    } functions[] = {
        {"PAPI_library_init", &papi.library_init},
        {"PAPI_thread_init", &papi.thread_init},
        {"PAPI_register_thread", &papi.register_thread},
        {"PAPI_unregister_thread", &papi.unregister_thread},
        {"PAPI_create_eventset", &papi.create_eventset},
        {"PAPI_add_named_event", &papi.add_named_event},
        {"PAPI_cleanup_eventset", &papi.cleanup_eventset},
        {"PAPI_destroy_eventset", &papi.destroy_eventset},
        {"PAPI_start", &papi.start},
        {"PAPI_stop", &papi.stop},
        {"PAPI_read", &papi.read},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return false;
        memcpy(functions[i].pointer, &function, sizeof function);
    }
    return true;
}

/* A library takes no version but its own. */
static bool initialise(void) {
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        int version = versions[i].major << 24 | versions[i].minor << 16;
        if (papi.library_init(version) == version)
            return papi.thread_init((unsigned long (*)(void))pthread_self) == PAPI_OK;
    }
    return false;
}

/* ---- events */

static bool starts(int set) {
    long long values[AA_COUNTED];
    return papi.start(set) == PAPI_OK && papi.stop(set, values) == PAPI_OK;
}

static int open_set(void) {
    int set = PAPI_NULL;
    papi.create_eventset(&set);
    for (int i = 0; i < AA_COUNTED; i++) {
        if (*events[i] && papi.add_named_event(set, events[i]) != PAPI_OK)
            *events[i] = 0;
    }
    return set;
}

static void close_set(int set) {
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
}

static bool try_event(int metric, const char *event, size_t length) {
    if (length >= EVENT_LENGTH)
        return false;
    memcpy(events[metric], event, length);
    events[metric][length] = 0;
    int set = open_set();
    if (!*events[metric] || !starts(set))
        *events[metric] = 0;
    close_set(set);
    return *events[metric];
}

/* The event that AUTOANALYZER_EVENTS gives to a metric; its length is 0 if there is none. */
static const char *wanted_event(const char *wanted, const char *metric, size_t *length) {
    size_t name = strlen(metric);
    for (const char *at = wanted; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, metric, name) == 0 && at[name] == '=') {
            *length = strcspn(at + name + 1, ",");
            return at + name + 1;
        }
    }
    *length = 0;
    return NULL;
}

static bool choose(int metric, const char *wanted) {
    size_t length;
    const char *event = wanted_event(wanted, metrics[metric].name, &length);
    if (wanted)
        return length && try_event(metric, event, length);
    for (const char *const *each = metrics[metric].events; *each; each++) {
        if (try_event(metric, *each, strlen(*each)))
            return true;
    }
    return false;
}

static const char *load(void) {
    void *library = open_library();
    if (!library || !bind(library))
        return "libpapi of version 5.6 to 7.2 wanted, found none";
    if (!initialise())
        return "libpapi that starts wanted, found one that does not";
    const char *wanted = getenv("AUTOANALYZER_EVENTS");
    bool any = false;
    for (int i = 0; i < AA_COUNTED; i++)
        any |= choose(i, wanted && *wanted ? wanted : NULL);
    return any ? NULL : "an event that starts wanted, found none (virtual machine? perf_event_paranoid?)";
}

static void describe(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]) {
    for (int i = 0; i < AA_COUNTED; i++) {
        if (*events[i])
            snprintf(sources[i], AA_SOURCE_LENGTH, "measured:papi:%.*s", EVENT_LENGTH - 1, events[i]);
    }
    memcpy(sources[AA_MPI_INSTRUCTIONS], sources[AA_INSTRUCTIONS], AA_SOURCE_LENGTH);
}

/* ---- threads */

static void attach(void) {
    if (event_set != PAPI_NULL)
        return;
    papi.register_thread();
    event_set = open_set();
    papi.start(event_set);
}

static void detach(void) {
    long long values[AA_COUNTED];
    papi.stop(event_set, values);
    close_set(event_set);
    event_set = PAPI_NULL;
    papi.unregister_thread();
}

/* Nothing really stops: what is executed until the next interval is taken off as its bias. */
static void stop(uint64_t counts[AA_COUNTED]) {
    long long values[AA_COUNTED] = {0};
    int error = errno, outcome = event_set == PAPI_NULL ? PAPI_NULL : papi.read(event_set, values);
    errno = error;
    if (outcome != PAPI_OK)
        return;
    const long long *value = values;
    for (int i = 0; i < AA_COUNTED; i++) {
        if (!*events[i])
            continue;
        counts[i] = *value > 0 ? (uint64_t)*value : 0; /* below 0: an event that is not there yet */
        value++;
    }
}

static void go(bool in_mpi) {
    (void)in_mpi;
}

const struct aa_counter_source aa_counter_papi = {"papi", load, describe, attach, detach, stop, go};
