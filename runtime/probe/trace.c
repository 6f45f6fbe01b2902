#define _GNU_SOURCE
#include "trace.h"
#include "counter.h"
#include "policy.h"
#include "self.h"
#include "size.h"
#include "system.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_MEMORY ((uint64_t)8 << 20)
#define SHORTEST 1e-3 /* seconds between samples */
#define LONGEST 3600.0
#define CHUNK ((size_t)64 << 10) /* bytes; an eighth of the least half */
#define LEAST_MEMORY ((uint64_t)1 << 20)
#define MOST_MEMORY ((uint64_t)1 << 34)
#define MOST_PARTS 1024u /* of a sample: those that took longest; the rest of them together */
#define LEAST_PARTS 16u
#define EACH 8u    /* samples for which each thread has room, whatever parts they have */
#define JUDGED 16u /* samples after which it is known what one takes */
#define SHARE 50u  /* taking samples may take a fiftieth of the time */

/* A thread's values at its last sample, node by node. */
struct seen {
    const struct aa_node *node;
    uint64_t values[AA_NODE_VALUES];
};

/* What is known of a tree, whatever threads take it one after the other. */
struct aa_time_line {
    uint64_t begin;  /* of the next sample */
    bool is_sampled; /* nobody has the tree, and nothing passed in it since the last sample */
    struct {
        uint64_t interval; /* at which samples were taken; 0: none yet */
        uint64_t since;
        uint64_t
            spent; /* nanoseconds on a processor: a thread that waits for one, or for the shard, takes none */
        uint32_t samples;
    } cost;
    struct aa_record *record; /* the last one in which nodes were looked for */
    struct seen *seen;
    uint64_t count, room;
    uint64_t recorded;                 /* the values that the next sample has */
    uint64_t system[AA_SYSTEM_VALUES]; /* what the thread had at its last sample */
    uint64_t former[AA_SYSTEM_VALUES]; /* what has passed since in threads that had the tree before */
    const struct aa_sample *unpaired;  /* while samples are merged */
};

/* Under the shard's lock, but for the first two, which are set before there are threads, and the interval. */
static struct {
    double seconds; /* 0: no samples */
    uint64_t memory;
    _Atomic uint64_t interval; /* ticks */
    uint32_t chunks;           /* in the shard */
    struct aa_chunk *open;     /* the one that samples go to */
    struct aa_sample *scratch;
    uint64_t at_start[AA_SYSTEM_VALUES]; /* of the process */
} trace;

static const size_t scratch_size =
    sizeof(struct aa_sample) + AA_TRACE_VALUES * sizeof(uint64_t) + 2 * MOST_PARTS * sizeof(struct aa_part);

/* ---- what the environment says */

static double seconds_of(const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end != text && !*end && value >= SHORTEST && value <= LONGEST)
        return value;
    aa_warn("AUTOANALYZER_TRACE: expected seconds from 0.001 to 3600, found '%s'; no time line is recorded",
            text);
    return 0;
}

static uint64_t memory_of(const char *text) {
    uint64_t memory;
    if (aa_size_of(text, &memory) && memory >= LEAST_MEMORY && memory <= MOST_MEMORY)
        return memory;
    aa_warn("AUTOANALYZER_TRACE_MEMORY: expected bytes from 1M to 16G, found '%s'; using 8M", text);
    return DEFAULT_MEMORY;
}

void aa_trace_load(void) {
    const char *seconds = getenv("AUTOANALYZER_TRACE"), *memory = getenv("AUTOANALYZER_TRACE_MEMORY");
    trace.seconds = seconds && *seconds ? seconds_of(seconds) : 0;
    trace.memory = memory && *memory ? memory_of(memory) : DEFAULT_MEMORY;
    if (trace.seconds > 0)
        aa_system_of_thread(trace.at_start);
    aa_policy_load();
}

void aa_trace_describe(struct aa_header *header) {
    trace.interval = (uint64_t)(trace.seconds * header->ticks_per_second);
    header->trace_interval = trace.interval;
    header->trace_generation = 1;
}

void aa_trace_forget(void) {
    memset(trace.at_start, 0, sizeof trace.at_start);
    trace.chunks = 0;
    trace.open = NULL;
}

uint64_t aa_trace_room(void) {
    return trace.seconds > 0 ? trace.memory : 0;
}

/* ---- what has passed */

/* Nodes are appended to the shard by all threads. The lock is held. */
static bool find_nodes(struct aa_thread *thread, struct aa_time_line *line) {
    struct aa_record *record = line->record;
    while ((record = aa_shard_next(record))) {
        line->record = record;
        const struct aa_node *node = (struct aa_node *)record;
        if (record->type != AA_RECORD_NODE || node->thread != thread->index)
            continue;
        if (line->count == line->room) {
            uint64_t room = line->room ? 2 * line->room : 64;
            struct seen *seen = aa_memory_map(room * sizeof *seen);
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

/* Clocks jitter, so that ticks may be none. */
static uint32_t share_of(double computed, uint64_t ticks) {
    double share = (int64_t)ticks > 0 ? computed / (double)ticks : 0;
    return (uint32_t)(AA_WHOLE * (share > 1 ? 1 : share > 0 ? share : 0));
}

/* Another one of the same node, or together with it. */
static void add_to(struct aa_part *part, const struct aa_part *other) {
    double sum = computed(part) + computed(other);
    part->visits += other->visits;
    part->ticks += other->ticks;
    part->computing = share_of(sum, part->ticks);
}

/* Parts of a sample, so that all threads have room for samples. */
static uint32_t most_parts(void) {
    uint64_t parts = trace.memory / 2 / EACH / sizeof(struct aa_part) / (aa_shard()->threads + 1);
    return parts > MOST_PARTS ? MOST_PARTS : parts < LEAST_PARTS ? LEAST_PARTS : (uint32_t)parts;
}

/* Room for one more: of those that took least, half are counted together, below node 0. */
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
                add_to(&rest, &parts[i]);
            }
        }
        sample->parts = (uint16_t)kept;
        least *= 2;
    }
    memmove(parts + 1, parts, sample->parts * sizeof *parts);
    parts[0] = rest;
    sample->parts++;
}

static void add_part(struct aa_sample *sample, struct aa_part *parts, struct aa_part part) {
    make_room(sample, parts);
    parts[sample->parts++] = part;
}

static uint32_t place_of(const struct aa_node *node) {
    return (uint32_t)(((char *)node - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
}

static void sum_nodes(struct aa_time_line *line, struct aa_sample *sample, uint64_t *totals,
                      struct aa_part *parts) {
    for (uint64_t i = 0; i < line->count; i++) {
        struct seen *seen = &line->seen[i];
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
        struct aa_part part = {.node = place_of(seen->node), .visits = passed[0], .ticks = ticks_of(passed)};
        part.computing = share_of(own, part.ticks);
        if (part.visits || part.ticks)
            add_part(sample, parts, part);
    }
}

/* Pages that are in memory; 0: unknown. Opened each time, as the program may close what it does not know. */
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

static void ask_system(const struct aa_thread *thread, uint64_t recorded, uint64_t now[AA_SYSTEM_VALUES]) {
    bool asked = is_asked(recorded, AA_MINOR_FAULTS) || is_asked(recorded, AA_MAJOR_FAULTS) ||
                 is_asked(recorded, AA_VOLUNTARY_SWITCHES) || is_asked(recorded, AA_INVOLUNTARY_SWITCHES);
    if (asked)
        aa_system_of_thread(now);
    else
        memset(now, 0, AA_SYSTEM_VALUES * sizeof *now);
    if (thread->index == 0 && is_asked(recorded, AA_RESIDENT))
        now[AA_RESIDENT] = resident_pages() * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Resident memory is as large as it is at the end; all else adds up. */
static void add_system(const struct aa_thread *thread, struct aa_time_line *line, uint64_t *passed) {
    uint64_t now[AA_SYSTEM_VALUES];
    ask_system(thread, line->recorded, now);
    for (uint32_t k = 0; k < AA_SYSTEM_VALUES; k++)
        passed[k] = k == AA_RESIDENT ? now[k] : passed[k] + now[k] - line->system[k];
    memcpy(line->system, now, sizeof now);
}

static void leave_out(uint64_t recorded, uint64_t *totals) {
    for (uint32_t k = 0; k < AA_TRACE_VALUES; k++) {
        if (!(recorded >> k & 1))
            totals[k] = 0;
    }
}

/* From now on samples have other values: what the system says until now is none of theirs. */
static void record(struct aa_thread *thread, struct aa_time_line *line, uint64_t recorded) {
    aa_counter_choose(thread, (uint32_t)(recorded >> AA_COUNTER_VALUE)); /* the thread may be a new one */
    if (recorded == line->recorded)
        return;
    line->recorded = recorded;
    aa_shard()->trace_left_out |= ~recorded;
    ask_system(thread, recorded, line->system);
}

/* ---- samples in chunks */

static uint32_t most_chunks(void) {
    return (uint32_t)(trace.memory / 2 / CHUNK);
}

static struct aa_chunk *chunk_of(struct aa_record *record, uint32_t generation) {
    struct aa_chunk *chunk = (struct aa_chunk *)record;
    return record->type == AA_RECORD_CHUNK && chunk->generation == generation ? chunk : NULL;
}

/* One of a generation before the last is free. */
static struct aa_chunk *free_chunk(uint32_t generation) {
    struct aa_record *record = NULL;
    while (trace.chunks > most_chunks() && (record = aa_shard_next(record))) {
        if (record->type == AA_RECORD_CHUNK && ((struct aa_chunk *)record)->generation + 1 < generation)
            return (struct aa_chunk *)record;
    }
    return NULL;
}

static struct aa_chunk *take_chunk(uint32_t generation) {
    struct aa_chunk *chunk = free_chunk(generation);
    if (!chunk) {
        chunk = aa_shard_append(AA_RECORD_CHUNK, CHUNK);
        if (!chunk)
            return NULL;
        trace.chunks++;
    }
    atomic_store_explicit(&chunk->used, 0, memory_order_relaxed);
    aa_in_order();
    chunk->generation = generation;
    aa_in_order();
    aa_shard_publish();
    return chunk;
}

static struct aa_sample *room_in(struct aa_chunk *chunk, size_t size) {
    uint64_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
    return used + size <= CHUNK - sizeof *chunk ? (struct aa_sample *)(chunk->samples + used) : NULL;
}

/* Room for a sample, which counts when it is published; null if there is none left. */
static struct aa_sample *append(size_t size, uint32_t generation, uint32_t *left) {
    struct aa_sample *sample = trace.open ? room_in(trace.open, size) : NULL;
    if (!sample) {
        if (!*left || !(trace.open = take_chunk(generation)))
            return NULL;
        --*left;
        sample = room_in(trace.open, size);
    }
    return sample;
}

static void publish(const struct aa_sample *sample) {
    atomic_fetch_add_explicit(&trace.open->used, sample->size, memory_order_release);
}

static uint64_t *values_in(const struct aa_sample *sample) {
    return (uint64_t *)(sample + 1);
}

static struct aa_part *parts_in(const struct aa_sample *sample) {
    return (struct aa_part *)(values_in(sample) + __builtin_popcountll(sample->present));
}

/* Values that are 0 are left out. */
static void put(struct aa_sample *to, const struct aa_sample *head, const uint64_t *totals,
                const struct aa_part *parts) {
    *to = *head;
    uint64_t *value = values_in(to);
    for (uint32_t k = 0; k < AA_TRACE_VALUES; k++) {
        if (head->present >> k & 1)
            *value++ = totals[k];
    }
    memcpy(value, parts, head->parts * sizeof *parts);
}

static void measure(struct aa_sample *head, const uint64_t *totals) {
    head->present = 0;
    for (uint32_t k = 0; k < AA_TRACE_VALUES; k++)
        head->present |= (uint64_t)(totals[k] != 0) << k;
    head->size = (uint32_t)(sizeof *head + (size_t)__builtin_popcountll(head->present) * sizeof *totals +
                            head->parts * sizeof(struct aa_part));
}

static void unpack(const struct aa_sample *sample, uint64_t *totals) {
    const uint64_t *value = values_in(sample);
    for (uint32_t k = 0; k < AA_TRACE_VALUES; k++)
        totals[k] = sample->present >> k & 1 ? *value++ : 0;
}

/* ---- merging */

/* Parts are in the order of their nodes. */
static void join_parts(struct aa_sample *head, struct aa_part *parts, const struct aa_sample *first,
                       const struct aa_sample *second) {
    const struct aa_part *a = parts_in(first), *a_end = a + first->parts;
    const struct aa_part *b = parts_in(second), *b_end = b + second->parts;
    while (a < a_end || b < b_end) {
        struct aa_part part = {.node = b == b_end || (a < a_end && a->node <= b->node) ? a->node : b->node};
        if (a < a_end && a->node == part.node)
            add_to(&part, a++);
        if (b < b_end && b->node == part.node)
            add_to(&part, b++);
        add_part(head, parts, part);
    }
}

/* Whether there was room. */
static bool keep_pair(const struct aa_sample *first, const struct aa_sample *second, uint32_t generation,
                      uint32_t *left) {
    struct aa_sample head = *second;
    uint64_t totals[AA_TRACE_VALUES], more[AA_TRACE_VALUES];
    struct aa_part *parts = (struct aa_part *)trace.scratch;
    head.parts = 0;
    unpack(second, totals);
    if (first) {
        unpack(first, more);
        for (uint32_t k = 0; k < AA_TRACE_VALUES; k++)
            totals[k] += k == AA_NODE_VALUES + AA_RESIDENT ? 0 : more[k];
        head.begin = first->begin;
        head.recorded &= first->recorded;
        leave_out(head.recorded, totals);
        join_parts(&head, parts, first, second);
    } else {
        head.parts = second->parts;
        memcpy(parts, parts_in(second), head.parts * sizeof *parts);
    }
    measure(&head, totals);
    struct aa_sample *to = append(head.size, generation, left);
    if (!to)
        return false;
    put(to, &head, totals, parts);
    publish(to);
    return true;
}

static struct aa_thread *thread_of(const struct aa_sample *sample) {
    return (struct aa_thread *)((char *)aa_shard() + (uint64_t)sample->thread * AA_SHARD_ALIGNMENT);
}

/* The tree may have been nobody's between the two. */
static bool pair_up(const struct aa_sample *sample, uint32_t generation, uint32_t *left) {
    struct aa_time_line *line = thread_of(sample)->time_line;
    const struct aa_sample *before = line->unpaired;
    if (!before) {
        line->unpaired = sample;
        return true;
    }
    line->unpaired = NULL;
    return keep_pair(before, sample, generation, left);
}

static bool pair_all(uint32_t from, uint32_t *left) {
    bool kept = true;
    for (struct aa_record *record = NULL; (record = aa_shard_next(record));) {
        struct aa_chunk *chunk = chunk_of(record, from);
        uint64_t used = chunk ? atomic_load_explicit(&chunk->used, memory_order_relaxed) : 0;
        for (uint64_t at = 0; at < used;) {
            const struct aa_sample *sample = (struct aa_sample *)(chunk->samples + at);
            kept = pair_up(sample, from + 1, left) && kept;
            at += sample->size;
        }
    }
    for (struct aa_record *record = NULL; (record = aa_shard_next(record));) {
        struct aa_time_line *line =
            record->type == AA_RECORD_THREAD ? ((struct aa_thread *)record)->time_line : NULL;
        if (line && line->unpaired) {
            kept = keep_pair(NULL, line->unpaired, from + 1, left) && kept;
            line->unpaired = NULL;
        }
    }
    return kept;
}

static void lengthen_interval(struct aa_header *header) {
    if (trace.interval < (uint64_t)(LONGEST * header->ticks_per_second))
        trace.interval *= 2;
    header->trace_interval = trace.interval;
}

/* The samples of before count until all of the new ones stand. */
static void merge_pairs(struct aa_header *header) {
    uint32_t left = most_chunks();
    trace.open = NULL;
    if (!pair_all(header->trace_generation, &left))
        header->trace_lost++;
    lengthen_interval(header);
    header->trace_left = left;
    aa_in_order();
    header->trace_generation++;
}

static void keep(struct aa_header *header, const struct aa_sample *head, const uint64_t *totals,
                 const struct aa_part *parts) {
    if (!trace.open && header->trace_generation == 1)
        header->trace_left = most_chunks();
    struct aa_sample *to = append(head->size, header->trace_generation, &header->trace_left);
    if (!to && !header->trace_left) {
        struct aa_sample *scratch = trace.scratch; /* which the sample stands in */
        trace.scratch = aa_memory_map(scratch_size);
        if (trace.scratch) {
            merge_pairs(header);
            aa_memory_unmap(trace.scratch, scratch_size);
        }
        trace.scratch = scratch;
        to = append(head->size, header->trace_generation, &header->trace_left);
    }
    if (!to) {
        header->trace_lost++;
        return;
    }
    put(to, head, totals, parts);
    publish(to);
}

/* ---- a sample */

static void set_due(struct aa_thread *thread, uint64_t now) {
    thread->due = trace.seconds > 0 ? now + trace.interval : UINT64_MAX;
}

void aa_trace_begin(struct aa_thread *thread, bool is_first) {
    set_due(thread, thread->last);
    if (trace.seconds <= 0)
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
    set_due(thread, line->begin); /* of what threads did before that were too short for a sample */
    if (is_first)
        memcpy(line->system, trace.at_start, sizeof line->system);
    else
        ask_system(thread, line->recorded, line->system);
}

void aa_trace_end(const struct aa_thread *thread) {
    struct aa_time_line *line = thread->time_line;
    if (!line)
        return;
    add_system(thread, line, line->former);
    line->is_sampled = line->begin == thread->last;
}

static void take(struct aa_thread *thread, struct aa_time_line *line) {
    struct aa_header *header = aa_shard();
    uint64_t totals[AA_TRACE_VALUES] = {0};
    if (!trace.scratch && !(trace.scratch = aa_memory_map(scratch_size)))
        return;
    if (!find_nodes(thread, line))
        return;
    struct aa_sample head = {.thread = place_of((struct aa_node *)thread),
                             .node = place_of(thread->current),
                             .begin = line->begin,
                             .end = thread->last,
                             .recorded = line->recorded};
    struct aa_part *parts = (struct aa_part *)trace.scratch;
    sum_nodes(line, &head, totals, parts);
    add_system(thread, line, line->former);
    memcpy(totals + AA_NODE_VALUES, line->former, sizeof line->former);
    memset(line->former, 0, sizeof line->former);
    leave_out(line->recorded, totals);
    measure(&head, totals);
    keep(header, &head, totals, parts);
    line->begin = thread->last;
    record(thread, line, aa_policy_now(thread->last));
}

/* Where there are so many nodes that taking samples takes long, they are taken less often. Each thread judges
 * by its own, and only by those of one interval: another thread may have lengthened it. */
static void judge(struct aa_time_line *line, uint64_t now, uint64_t took) {
    struct aa_header *header = aa_shard();
    if (line->cost.interval != trace.interval) {
        memset(&line->cost, 0, sizeof line->cost);
        line->cost.interval = trace.interval;
        line->cost.since = now;
        return;
    }
    line->cost.spent += took;
    if (++line->cost.samples < JUDGED)
        return;
    double seconds = (double)(now - line->cost.since) / header->ticks_per_second;
    if ((double)line->cost.spent > 1e9 * seconds / SHARE) {
        lengthen_interval(header);
        header->trace_slowed++;
    }
    line->cost.interval = 0;
}

void aa_trace_take(struct aa_thread *thread) {
    set_due(thread, thread->last);
    struct aa_time_line *line = thread->time_line;
    if (!line || aa_thread_closed || !aa_shard())
        return;
    struct aa_section section = aa_section_begin();
    uint64_t begin = aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    aa_shard_lock();
    take(thread, line);
    judge(line, aa_clock_ticks(), aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin);
    aa_shard_unlock();
    aa_section_end(section);
}
