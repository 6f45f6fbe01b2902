#define _GNU_SOURCE
#include "counter.h"
#include "self.h"
#include "usage.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>

bool aa_counting;

/* Where nothing is counted but what the system is asked for. */
static void describe_nothing(char sources[AA_COUNTERS][AA_SOURCE_LENGTH]) {
    (void)sources;
}

static bool attach_to_nothing(void) {
    return true;
}

static void detach_from_nothing(void) {}

static void stop_nothing(uint64_t counts[AA_COUNTED]) {
    (void)counts;
}

static void let_nothing_go(bool in_mpi) {
    (void)in_mpi;
}

static const struct aa_counter_source nothing = {
    .name = "none",
    .describe = describe_nothing,
    .attach = attach_to_nothing,
    .detach = detach_from_nothing,
    .stop = stop_nothing,
    .go = let_nothing_go,
};

static const struct aa_counter_source *const known[] = {&aa_counter_simulated, &aa_counter_papi};
static const struct aa_counter_source *source, *asked; /* what counts; what was to */
static bool asks_usage;
static const char *wanted, *defect;
static int counted = AA_EVENTS; /* how many of enum aa_counter there are */
static uint64_t at_load[AA_COUNTED], bias[AA_COUNTED];

/* The counts at the last stop. */
static _Thread_local uint64_t stopped_at[AA_COUNTED] AA_INITIAL_EXEC;

static const struct aa_counter_source *find_source(const char *name) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i]->name);
        if (strncmp(name, known[i]->name, length) == 0 &&
            (!name[length] || (name[length] == ':' && known[i] == &aa_counter_papi)))
            return known[i];
    }
    return NULL;
}

static void stop(uint64_t counts[AA_COUNTED]) {
    source->stop(counts);
    if (asks_usage)
        aa_usage_ask(counts);
}

static void start(void) {
    stop(at_load);
    aa_counting = true;
    source->go(false);
}

/* What the system is asked for needs no source. */
static void start_without(void) {
    source = &nothing;
    if (asks_usage)
        start();
}

void aa_counter_load(void) {
    aa_usage_load();
    asks_usage = aa_usage_is_asked();
    counted = asks_usage ? AA_COUNTED : AA_EVENTS;
    wanted = getenv("AUTOANALYZER_COUNTERS");
    if (!wanted || !*wanted || strcmp(wanted, "none") == 0) {
        start_without();
        return;
    }
    bool automatic = strcmp(wanted, "auto") == 0;
    source = asked = automatic ? &aa_counter_papi : find_source(wanted);
    defect = source ? source->load() : "expected auto, papi, papi:EVENT,..., simulated or none";
    if (!defect && !source->attach())
        defect = "no counter can be started";
    if (defect) {
        defect = automatic ? NULL : defect;
        start_without();
        return;
    }
    if (strchr(wanted, ':'))
        counted = AA_COUNTED;
    start();
}

void aa_counter_restart(void) {
    if (!aa_counting)
        return;
    if (source->forked)
        source->forked();
    aa_usage_forked();
    stop(at_load);
    source->go(false);
}

void aa_counter_describe(struct aa_header *header) {
    if (aa_counting)
        source->describe(header->sources);
    aa_usage_describe(header->sources);
    if (header->rank > 0) /* what is so elsewhere is left to the gather */
        return;
    if (defect)
        aa_warn("AUTOANALYZER_COUNTERS=%s: %s; nothing is counted", wanted, defect);
    const char *lack = (source == asked || defect) && asked && asked->lack ? asked->lack() : NULL;
    if (lack)
        aa_warn("%s", lack);
    if (aa_usage_lack())
        aa_warn("%s", aa_usage_lack());
}

void aa_counter_begin(struct aa_thread *thread, bool since_load) {
    if (!aa_counting)
        return;
    if (!source->attach())
        atomic_fetch_add(&aa_shard()->uncounted, 1);
    if (!since_load)
        stop(stopped_at);
    memcpy(thread->counted, since_load ? at_load : stopped_at, sizeof thread->counted);
}

void aa_counter_end(void) {
    if (aa_counting)
        source->detach();
}

/* A signal handler may have booked later counts than those at hand. */
static uint64_t since(uint64_t before, uint64_t now, uint64_t left_out) {
    return now > before + left_out ? now - before - left_out : 0;
}

void aa_counter_book(struct aa_thread *thread) {
    uint64_t *counters = thread->current->counters, *before = thread->counted;
    if (thread->call.share & AA_IN_MPI) {
        counters[AA_MPI_INSTRUCTIONS] +=
            since(before[AA_INSTRUCTIONS], stopped_at[AA_INSTRUCTIONS], bias[AA_INSTRUCTIONS]);
    } else if (!(thread->call.share & AA_IN_OMP)) {
        for (int i = 0; i < AA_EVENTS; i++)
            counters[i] += since(before[i], stopped_at[i], bias[i]);
    }
    for (int i = AA_EVENTS; i < counted; i++)
        counters[i] += since(before[i], stopped_at[i], bias[i]);
    aa_counter_skip(thread);
}

void aa_counter_skip(struct aa_thread *thread) {
    memcpy(thread->counted, stopped_at, sizeof thread->counted);
}

void aa_counter_choose(struct aa_thread *thread, uint32_t counters) {
    if (!aa_counting || !source->choose || !source->choose(counters))
        return;
    stop(stopped_at);
    aa_counter_skip(thread);
}

void aa_counter_leave_out(const uint64_t least[AA_COUNTED]) {
    memcpy(bias, least, sizeof bias);
}

void aa_counter_stop_slowly(void) {
    stop(stopped_at);
}

void aa_counter_go_slowly(void) {
    source->go(aa_thread_self && aa_thread_self->call.share & (AA_IN_MPI | AA_IN_OMP));
}
