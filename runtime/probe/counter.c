#define _GNU_SOURCE
#include "counter.h"
#include "rare.h"
#include "self.h"
#include "shard_folder.h"
#include "usage.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_IN "AUTOANALYZER_COUNT_IN"

bool aa_counting, aa_counter_goes_on;
uint32_t aa_counted_calls;

/* The source that is used if only system use is recorded. */
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
static const struct aa_counter_source *source, *asked; /* the source in use; the requested source */
/* whether the source counts, either everywhere or only in calls */
static bool live;
/* when the source is opened; WAITING: only when something is recorded */
static enum { AT_LOAD, WAITING, LATE } opening;
static bool asks_usage;
static const char *wanted, *defect;
static int counted = AA_EVENTS; /* the number of used entries of enum aa_counter */
static int of_own = AA_EVENTS;  /* the number of those entries that count the program's own code */
static uint64_t at_load[AA_COUNTED], bias[AA_COUNTED];

/* the thread's counts at the last stop */
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
    live = true;
    aa_counting = !aa_counted_calls;
    aa_counter_goes_on = aa_counting && source->book && !asks_usage;
    source->go(false);
}

/* Starts without a source, because system use needs none. */
static void start_without(void) {
    source = &nothing;
    if (asks_usage)
        start();
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Reads the calls to which counting is restricted; returns null, or a message about invalid calls. */
static const char *read_calls(void) {
    const char *text = getenv(COUNT_IN);
    uint32_t calls = 0;
    while (text && *text) {
        size_t length = strcspn(text, ",");
        uint32_t call = is_word(text, length, "mpi")  ? AA_COUNTS_IN_MPI
                        : is_word(text, length, "io") ? AA_COUNTS_IN_IO
                                                      : 0;
        if (!call)
            return "expected mpi, io or mpi,io in " COUNT_IN;
        calls |= call;
        text += length + (text[length] == ',');
    }
    if (calls && asks_usage)
        return COUNT_IN " cannot be combined with AUTOANALYZER_USAGE";
    aa_counted_calls = source == &aa_counter_papi ? calls : 0;
    return NULL;
}

static bool is_automatic(void) {
    return strcmp(wanted, "auto") == 0;
}

static void open_source(void) {
    defect = source ? read_calls() : "expected auto, papi, papi:EVENT,..., simulated or none";
    if (!defect)
        defect = source->load(is_automatic(), aa_counted_calls);
    if (!defect && !source->attach())
        defect = "no counter can be started";
    if (defect) {
        defect = is_automatic() ? NULL : defect;
        aa_counted_calls = 0;
        start_without();
        return;
    }
    if (source->has_events)
        of_own = AA_COUNTED;
    if (source->has_events || strchr(wanted, ':'))
        counted = AA_COUNTED;
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
    source = asked = is_automatic() ? &aa_counter_papi : find_source(wanted);
    /* not started by a launcher: the process may be a shell or the launcher itself, which record nothing */
    if (source == &aa_counter_papi && aa_launched_rank() < 0)
        opening = WAITING;
    else
        open_source();
}

void aa_counter_open(void) {
    if (opening != WAITING)
        return;
    opening = LATE;
    open_source();
}

void aa_counter_restart(void) {
    aa_usage_forked();
    if (!live)
        return;
    if (source->forked)
        source->forked();
    stop(at_load);
    source->go(false);
}

/* Warns of system use that cannot be counted. If several ranks have the same reason, only the first one
 * warns. */
static void warn_of_usage(void) {
    const char *lack = aa_usage_lack();
    pid_t other;
    if (lack && aa_shard_folder_mark("said", lack, &other))
        aa_warn("%s", lack);
}

void aa_counter_describe(struct aa_header *header) {
    if (live) {
        source->describe(header->sources);
        header->counting = aa_counted_calls | (source->how ? source->how() : 0);
    }
    /* these counts exclude library calls, so they do not exist if only calls are counted */
    if (aa_counted_calls)
        memset(header->sources, 0, AA_EVENTS * sizeof *header->sources);
    aa_usage_describe(header->sources, aa_counting || aa_counted_calls);
    warn_of_usage();
    if (header->rank > 0) /* one rank warns for all; gathering reports differences between ranks */
        return;
    if (defect)
        aa_warn("AUTOANALYZER_COUNTERS=%s: %s; nothing is counted", wanted, defect);
    const char *lack = (source == asked || defect) && asked && asked->lack ? asked->lack() : NULL;
    if (lack)
        aa_warn("%s", lack);
}

bool aa_counter_begin(struct aa_thread *thread, bool since_load) {
    if (!live)
        return true;
    bool counts = source->attach();
    since_load &= opening == AT_LOAD;
    if (!since_load)
        stop(stopped_at);
    memcpy(thread->counted, since_load ? at_load : stopped_at, sizeof thread->counted);
    return counts;
}

void aa_counter_end(void) {
    if (live)
        source->detach();
}

/*
 * Returns an increase, minus the counts to leave out; 0 if a signal handler has already booked later counts.
 */
static uint64_t since(uint64_t before, uint64_t now, uint64_t left_out) {
    return now > before + left_out ? now - before - left_out : 0;
}

static void book(struct aa_thread *thread, int from, int to) {
    for (int i = from; i < to; i++)
        if (thread->call.share == AA_OWN || !aa_usage_is_of_own_code(i))
            thread->current->counters[i] += since(thread->counted[i], stopped_at[i], bias[i]);
}

static void book_mpi(struct aa_thread *thread) {
    thread->current->counters[AA_MPI_INSTRUCTIONS] +=
        since(thread->counted[AA_INSTRUCTIONS], stopped_at[AA_INSTRUCTIONS], bias[AA_INSTRUCTIONS]);
}

void aa_counter_book(struct aa_thread *thread) {
    if (thread->call.share & AA_IN_MPI)
        book_mpi(thread);
    else if (!(thread->call.share & AA_IN_OMP))
        book(thread, 0, of_own);
    book(thread, of_own, counted);
    aa_counter_skip(thread);
}

void aa_counter_skip(struct aa_thread *thread) {
    memcpy(thread->counted, stopped_at, sizeof thread->counted);
}

void aa_counter_book_going(struct aa_thread *thread) {
    source->book(thread->current->counters, thread->counted, bias);
    /* if a signal handler executes this, the code that it interrupted continues with these counts */
    memcpy(stopped_at, thread->counted, sizeof thread->counted);
}

/* ---- counting in calls only */

/* Returns whether calls of a share are counted. MPI's file I/O is both MPI and I/O. */
static bool is_counted(uint32_t share) {
    return (aa_counted_calls & AA_COUNTS_IN_MPI && share & AA_IN_MPI) ||
           (aa_counted_calls & AA_COUNTS_IN_IO && (uint8_t)share == AA_IO);
}

/*
 * Returns whether the current code is a callback of a counted library call. The callback, including its own
 * library calls, counts as part of that call.
 */
static bool is_called_back(const struct aa_thread *thread) {
    const struct aa_frame *frame = thread->top - 1;
    while (frame > thread->frames && !is_counted(frame->call.share))
        frame--;
    return frame > thread->frames;
}

void aa_counter_turn_slowly(struct aa_thread *thread, uint32_t to) {
    uint32_t from = thread->call.share;
    if ((!is_counted(from) && !is_counted(to)) || is_called_back(thread))
        return;
    source->stop(stopped_at);
    if (is_counted(from)) {
        book(thread, AA_EVENTS, counted);
        if (from & AA_IN_MPI)
            book_mpi(thread);
    }
    aa_counter_skip(thread);
}

void aa_counter_choose(struct aa_thread *thread, uint32_t counters) {
    if (!live || !source->choose || !source->choose(counters))
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

/* Leaves out the counts since the last stop. */
static void leave_out_rare_work(struct aa_thread *thread) {
    uint64_t before[AA_COUNTED];
    memcpy(before, stopped_at, sizeof before);
    stop(stopped_at);
    for (int i = 0; i < counted; i++)
        thread->counted[i] += stopped_at[i] - before[i];
    aa_rare_work = false;
}

void aa_counter_go_slowly(void) {
    struct aa_thread *thread = aa_thread_self;
    if (thread && aa_rare_work)
        leave_out_rare_work(thread);
    source->go(thread && thread->call.share & (AA_IN_MPI | AA_IN_OMP));
}
