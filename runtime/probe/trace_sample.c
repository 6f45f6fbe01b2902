/* Computes the increase of a thread's values since its last sample. */
#define _GNU_SOURCE
#include "counter.h"
#include "memory.h"
#include "system.h"
#include "trace_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAST_PARTS 16u
/* each thread has memory for at least this many samples, regardless of their number of parts */
#define EACH 8u

struct aa_trace aa_trace;

/* Each thread searches the whole shard, because all threads append their nodes to it. */
bool aa_trace_find_nodes(struct aa_thread *thread, struct aa_time_line *line) {
    struct aa_record *record = line->record;
    while ((record = aa_shard_next(record))) {
        line->record = record;
        const struct aa_node *node = (struct aa_node *)record;
        if (record->type != AA_RECORD_NODE || node->thread != thread->index)
            continue;
        if (line->count == line->room) {
            uint64_t room = line->room ? 2 * line->room : 64;
            struct aa_seen *seen = aa_memory_map(room * sizeof *seen);
            if (!seen)
                return false;
            if (line->seen) {
                memcpy(seen, line->seen, line->count * sizeof *seen);
                aa_memory_unmap(line->seen, line->room * sizeof *seen);
            }
            line->seen = seen;
            line->room = room;
        }
        line->seen[line->count++].node = node;
    }
    return true;
}

static const uint64_t *values_of(const struct aa_node *node) {
    return &node->visits;
}

static uint64_t ticks_of(const uint64_t passed[AA_NODE_VALUES]) {
    uint64_t ticks = 0;
    for (uint32_t share = 0; share < AA_SHARES; share++)
        ticks += passed[AA_WALL_VALUE + share];
    return ticks;
}

static double computed(const struct aa_part *part) {
    return (double)part->ticks * ((double)part->computing / AA_WHOLE);
}

/*
 * Returns a share in units of 1 / AA_WHOLE; 0 if there are no ticks. Because clocks jitter, the number of
 * ticks may even be negative.
 */
static uint32_t share_of(double computed, uint64_t ticks) {
    double share = (int64_t)ticks > 0 ? computed / (double)ticks : 0;
    return (uint32_t)(AA_WHOLE * (share > 1 ? 1 : share > 0 ? share : 0));
}

/* Adds a part of the same node, or of another node that is combined with it. */
void aa_trace_add_to(struct aa_part *part, const struct aa_part *other) {
    double sum = computed(part) + computed(other);
    part->visits += other->visits;
    part->ticks += other->ticks;
    part->computing = share_of(sum, part->ticks);
}

/* Returns the maximum number of parts in a sample, so that there is memory for samples of all threads. */
static uint32_t most_parts(void) {
    uint64_t parts = aa_trace.memory / 2 / EACH / sizeof(struct aa_part) / (aa_shard()->threads + 1);
    return parts > AA_TRACE_MOST_PARTS ? AA_TRACE_MOST_PARTS
           : parts < LEAST_PARTS       ? LEAST_PARTS
                                       : (uint32_t)parts;
}

/* Makes space for another part by combining the shorter half of the parts as node 0. */
static void make_room(struct aa_sample *sample, struct aa_part *parts) {
    uint32_t most = most_parts();
    if (sample->parts < 2 * most)
        return;
    struct aa_part rest = {0};
    uint64_t least = 1;
    while (sample->parts >= most) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < sample->parts; i++) {
            if (parts[i].node && parts[i].ticks >= least) {
                parts[kept++] = parts[i];
            } else {
                aa_trace_add_to(&rest, &parts[i]);
            }
        }
        sample->parts = (uint16_t)kept;
        least *= 2;
    }
    memmove(parts + 1, parts, sample->parts * sizeof *parts);
    parts[0] = rest;
    sample->parts++;
}

void aa_trace_add_part(struct aa_sample *sample, struct aa_part *parts, struct aa_part part) {
    make_room(sample, parts);
    parts[sample->parts++] = part;
}

void aa_trace_sum_nodes(struct aa_time_line *line, struct aa_sample *sample, uint64_t *totals,
                        struct aa_part *parts) {
    for (uint64_t i = 0; i < line->count; i++) {
        struct aa_seen *seen = &line->seen[i];
        const uint64_t *values = values_of(seen->node);
        if (memcmp(values, seen->values, sizeof seen->values) == 0)
            continue;
        uint64_t passed[AA_NODE_VALUES];
        for (uint32_t k = 0; k < AA_NODE_VALUES; k++) {
            passed[k] = values[k] - seen->values[k];
            seen->values[k] += passed[k];
            totals[k] += passed[k];
        }
        double own = (double)(int64_t)(passed[AA_WALL_VALUE + AA_OWN] - passed[AA_OFF_VALUE + AA_OWN]);
        struct aa_part part = {
            .node = aa_trace_place_of(seen->node), .visits = passed[0], .ticks = ticks_of(passed)};
        part.computing = share_of(own, part.ticks);
        if (part.visits || part.ticks)
            aa_trace_add_part(sample, parts, part);
    }
}

/*
 * Returns the number of the process's pages in memory; 0 if unknown. The file is opened each time, because
 * the program may close descriptors that it did not open.
 */
static uint64_t resident_pages(void) {
    char text[128] = "";
    long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return 0;
    long length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    const char *second = length > 0 ? strchr(text, ' ') : NULL;
    return second ? strtoull(second, NULL, 10) : 0;
}

static bool is_asked(uint64_t recorded, uint32_t value) {
    return recorded >> (AA_NODE_VALUES + value) & 1;
}

void aa_trace_ask_system(const struct aa_thread *thread, uint64_t recorded, uint64_t now[AA_SYSTEM_VALUES]) {
    bool asked = is_asked(recorded, AA_MINOR_FAULTS) || is_asked(recorded, AA_MAJOR_FAULTS) ||
                 is_asked(recorded, AA_VOLUNTARY_SWITCHES) || is_asked(recorded, AA_INVOLUNTARY_SWITCHES);
    if (asked)
        aa_system_of_thread(now);
    else
        memset(now, 0, AA_SYSTEM_VALUES * sizeof *now);
    if (thread->index == 0 && is_asked(recorded, AA_RESIDENT))
        now[AA_RESIDENT] = resident_pages() * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* All values add up, except resident memory, which is the value at the end. */
void aa_trace_add_system(const struct aa_thread *thread, struct aa_time_line *line, uint64_t *passed) {
    uint64_t now[AA_SYSTEM_VALUES];
    aa_trace_ask_system(thread, line->recorded, now);
    for (uint32_t k = 0; k < AA_SYSTEM_VALUES; k++)
        passed[k] = k == AA_RESIDENT ? now[k] : passed[k] + now[k] - line->system[k];
    memcpy(line->system, now, sizeof now);
}

void aa_trace_leave_out(uint64_t recorded, uint64_t *totals) {
    for (uint32_t k = 0; k < AA_TRACE_VALUES; k++) {
        if (!(recorded >> k & 1))
            totals[k] = 0;
    }
}

/* If other values are recorded from now on, their increase up to now must not be in the next sample. */
void aa_trace_record(struct aa_thread *thread, struct aa_time_line *line, uint64_t recorded) {
    aa_counter_choose(thread, (uint32_t)(recorded >> AA_COUNTER_VALUE)); /* the thread may be new */
    if (recorded == line->recorded)
        return;
    line->recorded = recorded;
    aa_shard()->trace_left_out |= ~recorded;
    aa_trace_ask_system(thread, recorded, line->system);
}
