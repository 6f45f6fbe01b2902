#define _GNU_SOURCE
#include "counter.h"
#include "self.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>

bool aa_counting;

static const struct aa_counter_source *const known[] = {&aa_counter_simulated, &aa_counter_papi};
static const struct aa_counter_source *source;
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

void aa_counter_load(void) {
    wanted = getenv("AUTOANALYZER_COUNTERS");
    if (!wanted || !*wanted || strcmp(wanted, "none") == 0)
        return;
    bool automatic = strcmp(wanted, "auto") == 0;
    source = automatic ? &aa_counter_papi : find_source(wanted);
    defect = source ? source->load() : "expected auto, papi, papi:EVENT,..., simulated or none";
    if (!defect && !source->attach())
        defect = "no counter can be started";
    if (defect) {
        defect = automatic ? NULL : defect;
        return;
    }
    if (strchr(wanted, ':'))
        counted = AA_COUNTED;
    source->stop(at_load);
    aa_counting = true;
    source->go(false);
}

void aa_counter_restart(void) {
    if (!aa_counting)
        return;
    if (source->forked)
        source->forked();
    source->stop(at_load);
    source->go(false);
}

void aa_counter_describe(struct aa_header *header) {
    if (aa_counting)
        source->describe(header->sources);
    if (header->rank > 0) /* what is so elsewhere is left to the gather */
        return;
    if (defect)
        aa_warn("AUTOANALYZER_COUNTERS=%s: %s; nothing is counted", wanted, defect);
    const char *lack = (aa_counting || defect) && source && source->lack ? source->lack() : NULL;
    if (lack)
        aa_warn("%s", lack);
}

void aa_counter_begin(struct aa_thread *thread, bool since_load) {
    if (!aa_counting)
        return;
    if (!source->attach())
        atomic_fetch_add(&aa_shard()->uncounted, 1);
    if (!since_load)
        source->stop(stopped_at);
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
    source->stop(stopped_at);
    aa_counter_skip(thread);
}

void aa_counter_leave_out(const uint64_t least[AA_COUNTED]) {
    memcpy(bias, least, sizeof bias);
}

void aa_counter_stop_slowly(void) {
    source->stop(stopped_at);
}

void aa_counter_go_slowly(void) {
    source->go(aa_thread_self && aa_thread_self->call.share & (AA_IN_MPI | AA_IN_OMP));
}
