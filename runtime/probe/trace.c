#define _GNU_SOURCE
#include "trace.h"
#include "counter.h"
#include "memory.h"
#include "policy.h"
#include "self.h"
#include "size.h"
#include "system.h"
#include "trace_parts.h"
#include "usage.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_MEMORY ((uint64_t)8 << 20)
#define SHORTEST 1e-3 /* seconds: the shortest interval between samples */
#define LEAST_MEMORY ((uint64_t)1 << 20)
#define MOST_MEMORY ((uint64_t)1 << 34)
#define JUDGED 16u /* number of samples after which their cost is checked */
#define SHARE 50u  /* samples may take 1/50 of the time */
#define LOOK 2e6   /* nanoseconds between readings of the CPU clock: a thousand times the cost of a reading */

/* the system's data about the process when the library was loaded */
static uint64_t at_start[AA_SYSTEM_VALUES];

/* ---- the environment */

static double seconds_of(const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end != text && !*end && value >= SHORTEST && value <= AA_TRACE_LONGEST)
        return value;
    aa_warn("AUTOANALYZER_TRACE: expected a number of seconds from 0.001 to 3600, found '%s'; no time line "
            "is recorded",
            text);
    return 0;
}

static uint64_t memory_of(const char *text) {
    uint64_t memory;
    if (aa_size_of(text, &memory) && memory >= LEAST_MEMORY && memory <= MOST_MEMORY)
        return memory;
    aa_warn("AUTOANALYZER_TRACE_MEMORY: expected a size from 1M to 16G, found '%s'; using 8M", text);
    return DEFAULT_MEMORY;
}

void aa_trace_load(void) {
    const char *seconds = getenv("AUTOANALYZER_TRACE"), *memory = getenv("AUTOANALYZER_TRACE_MEMORY");
    aa_trace.seconds = seconds && *seconds ? seconds_of(seconds) : 0;
    aa_trace.memory = memory && *memory ? memory_of(memory) : DEFAULT_MEMORY;
    if (aa_trace.seconds > 0)
        aa_system_of_thread(at_start);
    aa_policy_load();
}

void aa_trace_describe(struct aa_header *header) {
    aa_trace.interval = (uint64_t)(aa_trace.seconds * header->ticks_per_second);
    header->trace_interval = aa_trace.interval;
    header->trace_generation = 1;
}

void aa_trace_forget(void) {
    memset(at_start, 0, sizeof at_start);
    aa_trace_forget_chunks();
}

uint64_t aa_trace_room(void) {
    return aa_trace.seconds > 0 ? aa_trace.memory : 0;
}

/* ---- a sample */

/* Sets `due`: to the next reading of the CPU clock or the end of the current sample, whichever is earlier. */
static void set_due(struct aa_thread *thread, uint64_t begin) {
    uint64_t look =
        aa_counting ? UINT64_MAX : thread->last + (uint64_t)(LOOK * aa_clock_rate()) / aa_usage_haste();
    uint64_t end = aa_trace.seconds > 0 ? begin + aa_trace.interval : UINT64_MAX;
    thread->due = end < look ? end : look;
}

void aa_trace_begin(struct aa_thread *thread, bool is_first) {
    aa_usage_begin(thread);
    set_due(thread, thread->last);
    if (aa_trace.seconds <= 0)
        return;
    struct aa_time_line *line = thread->time_line;
    if (!line && (line = thread->time_line = aa_memory_map(sizeof *line))) {
        line->recorded = UINT64_MAX;
        line->is_sampled = true;
    }
    if (!line)
        return;
    if (line->is_sampled)
        line->begin = thread->last;
    line->is_sampled = false;
    /* the sample includes earlier threads with this tree that ended before their first sample */
    set_due(thread, line->begin);
    if (is_first)
        memcpy(line->system, at_start, sizeof line->system);
    else
        aa_trace_ask_system(thread, line->recorded, line->system);
}

void aa_trace_end(const struct aa_thread *thread) {
    struct aa_time_line *line = thread->time_line;
    if (!line)
        return;
    aa_trace_add_system(thread, line, line->former);
    line->is_sampled = line->begin == thread->last;
}

static void take(struct aa_thread *thread, struct aa_time_line *line) {
    struct aa_header *header = aa_shard();
    uint64_t totals[AA_TRACE_VALUES] = {0};
    struct aa_part *parts = aa_trace_scratch();
    if (!parts || !aa_trace_find_nodes(thread, line))
        return;
    struct aa_sample head = {.thread = aa_trace_place_of(thread),
                             .node = aa_trace_place_of(thread->current),
                             .begin = line->begin,
                             .end = thread->last,
                             .recorded = line->recorded};
    aa_trace_sum_nodes(line, &head, totals, parts);
    aa_trace_add_system(thread, line, line->former);
    memcpy(totals + AA_NODE_VALUES, line->former, sizeof line->former);
    memset(line->former, 0, sizeof line->former);
    aa_trace_leave_out(line->recorded, totals);
    aa_trace_keep(header, &head, totals, parts);
    line->begin = thread->last;
    aa_trace_record(thread, line, aa_policy_now(thread->last));
}

/*
 * Doubles the interval if there are so many nodes that samples take too long. Each thread considers its own
 * samples, and only those taken with the current interval, because another thread may have lengthened it.
 * took: nanoseconds of CPU time for the last sample.
 */
static void judge(struct aa_time_line *line, uint64_t now, uint64_t took) {
    struct aa_header *header = aa_shard();
    if (line->cost.interval != aa_trace.interval) {
        memset(&line->cost, 0, sizeof line->cost);
        line->cost.interval = aa_trace.interval;
        line->cost.since = now;
        return;
    }
    line->cost.spent += took;
    if (++line->cost.samples < JUDGED)
        return;
    double seconds = (double)(now - line->cost.since) / header->ticks_per_second;
    if ((double)line->cost.spent > 1e9 * seconds / SHARE) {
        aa_trace_lengthen_interval(header);
        header->trace_slowed++;
    }
    line->cost.interval = 0;
}

void aa_trace_take(struct aa_thread *thread) {
    struct aa_time_line *line = thread->time_line;
    bool is_over = line && thread->last - line->begin >= aa_trace.interval;
    set_due(thread, line && !is_over ? line->begin : thread->last);
    if (!is_over || aa_thread_closed || !aa_shard())
        return;
    struct aa_section section = aa_section_begin();
    uint64_t begin = aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    aa_shard_lock();
    take(thread, line);
    judge(line, aa_clock_ticks(), aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin);
    aa_shard_unlock();
    aa_section_end(section);
}
