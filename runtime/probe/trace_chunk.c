/*
 * Samples in chunks of the shard. When half of the memory is full, pairs of samples are merged into the
 * other half.
 */
#define _GNU_SOURCE
#include "memory.h"
#include "self.h"
#include "trace_parts.h"

#include <string.h>

#define CHUNK ((size_t)64 << 10) /* bytes; eight chunks fit into half of LEAST_MEMORY (trace.c) */

static struct {
    uint32_t count;        /* the number of chunks in the shard */
    struct aa_chunk *open; /* the chunk that gets new samples */
    struct aa_sample *scratch;
} chunks;

static const size_t scratch_size = sizeof(struct aa_sample) + AA_TRACE_VALUES * sizeof(uint64_t) +
                                   2 * AA_TRACE_MOST_PARTS * sizeof(struct aa_part);

void aa_trace_forget_chunks(void) {
    chunks.count = 0;
    chunks.open = NULL;
}

struct aa_part *aa_trace_scratch(void) {
    if (!chunks.scratch)
        chunks.scratch = aa_memory_map(scratch_size);
    return (struct aa_part *)chunks.scratch;
}

/* ---- chunks */

static uint32_t most_chunks(void) {
    return (uint32_t)(aa_trace.memory / 2 / CHUNK);
}

static struct aa_chunk *chunk_of(struct aa_record *record, uint32_t generation) {
    struct aa_chunk *chunk = (struct aa_chunk *)record;
    return record->type == AA_RECORD_CHUNK && chunk->generation == generation ? chunk : NULL;
}

/* Returns a free chunk, that is, a chunk of a generation before the last; null if there is none. */
static struct aa_chunk *free_chunk(uint32_t generation) {
    struct aa_record *record = NULL;
    while (chunks.count > most_chunks() && (record = aa_shard_next(record))) {
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
        chunks.count++;
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

/* Returns memory for a sample, which counts once it is published; null if there is none. */
static struct aa_sample *append(size_t size, uint32_t generation, uint32_t *left) {
    struct aa_sample *sample = chunks.open ? room_in(chunks.open, size) : NULL;
    if (!sample) {
        if (!*left || !(chunks.open = take_chunk(generation)))
            return NULL;
        --*left;
        sample = room_in(chunks.open, size);
    }
    return sample;
}

static void publish(const struct aa_sample *sample) {
    atomic_fetch_add_explicit(&chunks.open->used, sample->size, memory_order_release);
}

static uint64_t *values_in(const struct aa_sample *sample) {
    return (uint64_t *)(sample + 1);
}

static struct aa_part *parts_in(const struct aa_sample *sample) {
    return (struct aa_part *)(values_in(sample) + __builtin_popcountll(sample->present));
}

/* Stores a sample without the values that are 0. */
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

/* Joins the parts of two samples; in each, they are ordered by node. */
static void join_parts(struct aa_sample *head, struct aa_part *parts, const struct aa_sample *first,
                       const struct aa_sample *second) {
    const struct aa_part *a = parts_in(first), *a_end = a + first->parts;
    const struct aa_part *b = parts_in(second), *b_end = b + second->parts;
    while (a < a_end || b < b_end) {
        struct aa_part part = {.node = b == b_end || (a < a_end && a->node <= b->node) ? a->node : b->node};
        if (a < a_end && a->node == part.node)
            aa_trace_add_to(&part, a++);
        if (b < b_end && b->node == part.node)
            aa_trace_add_to(&part, b++);
        aa_trace_add_part(head, parts, part);
    }
}

/* Stores the sum of two samples, or only the second if the first is null; returns false if there is no
 * memory. */
static bool keep_pair(const struct aa_sample *first, const struct aa_sample *second, uint32_t generation,
                      uint32_t *left) {
    struct aa_sample head = *second;
    uint64_t totals[AA_TRACE_VALUES], more[AA_TRACE_VALUES];
    struct aa_part *parts = aa_trace_scratch();
    head.parts = 0;
    unpack(second, totals);
    if (first) {
        unpack(first, more);
        for (uint32_t k = 0; k < AA_TRACE_VALUES; k++)
            totals[k] += k == AA_NODE_VALUES + AA_RESIDENT ? 0 : more[k];
        head.begin = first->begin;
        head.recorded &= first->recorded;
        aa_trace_leave_out(head.recorded, totals);
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

/*
 * Merges a sample with the previous sample of the same tree, if that has no partner yet. The two samples need
 * not be adjacent in time, because the tree may have been unused between them.
 */
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

void aa_trace_lengthen_interval(struct aa_header *header) {
    if (aa_trace.interval < (uint64_t)(AA_TRACE_LONGEST * header->ticks_per_second))
        aa_trace.interval *= 2;
    header->trace_interval = aa_trace.interval;
}

/* Merges pairs of samples. The old samples stay valid until all new ones are complete. */
static void merge_pairs(struct aa_header *header) {
    uint32_t left = most_chunks();
    chunks.open = NULL;
    if (!pair_all(header->trace_generation, &left))
        header->trace_lost++;
    aa_trace_lengthen_interval(header);
    header->trace_left = left;
    aa_in_order();
    header->trace_generation++;
}

void aa_trace_keep(struct aa_header *header, struct aa_sample *head, const uint64_t *totals,
                   const struct aa_part *parts) {
    measure(head, totals);
    if (!chunks.open && header->trace_generation == 1)
        header->trace_left = most_chunks();
    struct aa_sample *to = append(head->size, header->trace_generation, &header->trace_left);
    if (!to && !header->trace_left) {
        /* the usual scratch memory contains the new sample, so merging needs other memory */
        struct aa_sample *scratch = chunks.scratch;
        chunks.scratch = aa_memory_map(scratch_size);
        if (chunks.scratch) {
            merge_pairs(header);
            aa_memory_unmap(chunks.scratch, scratch_size);
        }
        chunks.scratch = scratch;
        to = append(head->size, header->trace_generation, &header->trace_left);
    }
    if (!to) {
        header->trace_lost++;
        return;
    }
    put(to, head, totals, parts);
    publish(to);
}
