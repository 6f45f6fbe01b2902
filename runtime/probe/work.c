#define _GNU_SOURCE
#include "work.h"

#include <string.h>
#include <sys/mman.h>

#include "memory.h"
#include "probe.h"
#include "region.h"
#include "self.h"
#include "tree.h"

#define FIRST_CAPACITY 256
#define LAST_FRAMES 32 /* in a recursion, further frames refer to the same nodes */

struct aa_work_node {
    const struct aa_node *node;
    /* indices plus 1: of its parent, its first child, and its parent's next child; 0: none */
    uint32_t above, below, beside;
    uint32_t what;
    uint64_t visits; /* number of visits at the last reading */
    uint64_t told;   /* number of visits that were already passed to the callback */
    int64_t worked;  /* the node's work at the last reading, in ticks or instructions */
    bool is_open;
};

bool aa_work_is_counted(void) {
    return strncmp(aa_shard()->sources[AA_INSTRUCTIONS], "simulated", sizeof "simulated" - 1) == 0;
}

/*
 * Returns the work of a node, in ticks or instructions. As in gathering (own_shards.py), a base's own work is
 * left out if it is before or after main.
 */
static int64_t worked(const struct aa_work *work, const struct aa_node *node) {
    bool is_outside = work->outside && node->region == AA_NO_REGION;
    if (work->counted)
        return is_outside ? 0 : (int64_t)node->counters[AA_INSTRUCTIONS];
    return node->wall[AA_IO] + (is_outside ? 0 : node->wall[AA_OWN] - node->off[AA_OWN]);
}

static bool is_program(const struct aa_node *node) {
    static const char program[] = AA_DESCRIPTOR_VERSION "|program|",
                      function[] = AA_DESCRIPTOR_VERSION "|function|main|";
    const char *descriptor = node->region == AA_NO_REGION ? "" : aa_region_at(node->region)->descriptor;
    return strncmp(descriptor, program, sizeof program - 1) == 0 ||
           strncmp(descriptor, function, sizeof function - 1) == 0;
}

static uint32_t offset_of(const void *record) {
    return (uint32_t)(((const char *)record - (const char *)aa_shard()) / AA_SHARD_ALIGNMENT);
}

/* ---- finding a node */

static uint32_t *place_of(const struct aa_work *work, uint32_t offset) {
    uint32_t mask = 2 * work->capacity - 1, at = (offset * 0x9e3779b9u >> 7) & mask;
    while (work->places[at] && offset_of(work->nodes[work->places[at] - 1].node) != offset)
        at = (at + 1) & mask;
    return &work->places[at];
}

static bool grow(struct aa_work *work) {
    uint32_t capacity = work->capacity ? 2 * work->capacity : FIRST_CAPACITY;
    struct aa_work grown = *work;
    grown.capacity = capacity;
    grown.nodes = aa_memory_map(capacity * sizeof *grown.nodes);
    grown.places = aa_memory_map(2 * capacity * sizeof *grown.places);
    if (!grown.nodes || !grown.places)
        return false;
    if (work->count)
        memcpy(grown.nodes, work->nodes, work->count * sizeof *work->nodes);
    for (uint32_t i = 0; i < work->count; i++)
        *place_of(&grown, offset_of(grown.nodes[i].node)) = i + 1;
    if (work->capacity) {
        aa_memory_unmap(work->nodes, work->capacity * sizeof *work->nodes);
        aa_memory_unmap(work->places, 2 * work->capacity * sizeof *work->places);
    }
    *work = grown;
    return true;
}

/* ---- new nodes */

/*
 * Returns the hash of a call path, which is the same in all ranks: FNV-1a over the descriptors, beginning
 * with the root.
 */
static uint32_t hashed(uint32_t what, const struct aa_node *node) {
    if (node->region == AA_NO_REGION)
        return what;
    for (const char *c = aa_region_at(node->region)->descriptor; *c; c++)
        what = (what ^ (unsigned char)*c) * 0x01000193u;
    return (what ^ '\n') * 0x01000193u;
}

static bool add(struct aa_work *work, const struct aa_node *node) {
    if (work->count == 0)
        work->counted = aa_work_is_counted();
    if (work->count == work->capacity && !grow(work))
        return false;
    uint32_t above = node->parent ? *place_of(work, node->parent) : 0;
    uint32_t *first = above ? &work->nodes[above - 1].below : &work->roots;
    uint32_t place = work->count + 1;
    work->nodes[work->count] = (struct aa_work_node){
        .node = node,
        .above = above,
        .beside = *first,
        .what = hashed(above ? work->nodes[above - 1].what : 0x811c9dc5u, node),
        .is_open = true, /* so that the node is read even if it has no visits */
    };
    *first = place;
    work->outside |= node->thread > 0 || is_program(node);
    *place_of(work, offset_of(node)) = place;
    work->count++;
    return true;
}

/* Adds new nodes, parents before their children. Records count once they are published. */
static void take_new(struct aa_work *work, const struct aa_thread *thread) {
    const char *end = (const char *)aa_shard() + atomic_load(&aa_shard()->used);
    for (struct aa_record *next = aa_shard_next(work->seen); next && (const char *)next < end;
         next = aa_shard_next(next)) {
        const struct aa_node *node = (const void *)next;
        if (next->type == AA_RECORD_NODE && node->thread == thread->index && !add(work, node))
            return;
        work->seen = next;
    }
}

/* ---- reading */

struct look {
    struct aa_work *work;
    aa_work_told *tell;
    void *to;
    bool in_all;    /* whether to read all nodes */
    uint32_t nodes; /* number of nodes that were read */
};

static void look_below(struct look *look, uint32_t first) {
    for (uint32_t place = first; place; place = look->work->nodes[place - 1].beside) {
        struct aa_work_node *known = &look->work->nodes[place - 1];
        look->nodes++;
        bool may_have_changed = look->in_all || known->is_open || known->visits != known->node->visits;
        if (known->visits && !may_have_changed)
            continue;
        int64_t until_now = worked(look->work, known->node);
        if (until_now > known->worked) {
            double since = (double)(until_now - known->worked);
            look->tell(look->to, offset_of(known->node), known->what, known->node->visits - known->told,
                       look->work->counted ? since : since / aa_clock_rate());
            known->told = known->node->visits;
        }
        known->worked = until_now;
        known->visits = known->node->visits;
        known->is_open = false;
        look_below(look, known->below);
    }
}

static void open_up_to(struct aa_work *work, const struct aa_node *node) {
    for (uint32_t place = *place_of(work, offset_of(node)); place; place = work->nodes[place - 1].above)
        work->nodes[place - 1].is_open = true;
}

/*
 * Opens the calling thread's current node, and the nodes to which the thread will return without a visit.
 * These are not only its ancestors: a region that is entered recursively uses its first node again, and a
 * task is executed inside another call path.
 */
static void open_frames(struct aa_work *work, const struct aa_thread *thread) {
    const struct aa_node *inner = thread->current;
    open_up_to(work, inner);
    const struct aa_frame *frame = thread->top;
    for (uint32_t i = 0; i < LAST_FRAMES && frame > thread->frames; i++) {
        const struct aa_node *node = (--frame)->node;
        if (node != inner && node != aa_tree_parent(inner))
            open_up_to(work, node);
        inner = node;
    }
}

#define CONTINUED (sizeof((struct aa_thread *)0)->continued_at / sizeof(struct aa_node *))

/* Returns whether every reading reads this node anyway, because neither the node nor an ancestor has
 * visits. */
static bool is_always_read(const struct aa_node *node) {
    while (node && !node->visits)
        node = aa_tree_parent(node);
    return !node;
}

void aa_work_continues(struct aa_thread *thread, const struct aa_node *node) {
    for (size_t i = 0; i < CONTINUED; i++) {
        if (atomic_load_explicit(&thread->continued_at[i], memory_order_relaxed) == node)
            return;
    }
    if (is_always_read(node))
        return;
    uint64_t number = atomic_load_explicit(&thread->continued, memory_order_relaxed);
    atomic_store_explicit(&thread->continued_at[number % CONTINUED], node, memory_order_relaxed);
    atomic_store_explicit(&thread->continued, number + 1, memory_order_release);
}

static void open_continued(struct aa_work *work, const struct aa_thread *thread) {
    for (size_t i = 0; i < CONTINUED; i++) {
        const struct aa_node *node = atomic_load_explicit(&thread->continued_at[i], memory_order_relaxed);
        if (node)
            open_up_to(work, node);
    }
}

uint32_t aa_work_look(struct aa_work *work, const struct aa_thread *thread, aa_work_told *tell, void *to) {
    take_new(work, thread);
    if (!work->count)
        return 0;
    uint64_t continued = atomic_load_explicit(&thread->continued, memory_order_acquire);
    struct look look = {work, tell, to, continued != work->continued, 0};
    work->continued = continued;
    open_continued(work, thread);
    look_below(&look, work->roots);
    if (thread == aa_thread_self)
        open_frames(work, thread);
    else
        open_up_to(work, thread->current);
    return look.nodes;
}
