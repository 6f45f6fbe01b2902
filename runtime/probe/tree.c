#define _GNU_SOURCE
#include "tree.h"
#include "probe.h"
#include "process.h"
#include "thread.h"
#include "throttle.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_EDGES 1024u
#define DESCRIPTOR_BARS 7
#define LEVELS 64
#define ALWAYS_MADE 2u /* levels: main, and what it calls */

/* ---- edges */

static struct aa_edge *find_edge(const struct aa_thread *thread, const struct aa_node *node,
                                 const char *key) {
    struct aa_edge *edge = aa_tree_first_edge(thread, node, key);
    while (edge->node && (edge->node != node || edge->key != key))
        edge = edge == thread->edges + thread->edge_mask ? thread->edges : edge + 1;
    return edge;
}

static void put_edge(struct aa_thread *thread, struct aa_edge put) {
    struct aa_edge *edge = find_edge(thread, put.node, put.key);
    edge->child = put.child;
    edge->key = put.key;
    aa_in_order();
    edge->node = put.node;
}

/* The old table stays mapped, empty, for the event that a signal handler which gets here has interrupted. */
bool aa_tree_widen(struct aa_thread *thread) {
    uint64_t old_mask = thread->edge_mask, capacity = thread->edges ? 2 * (old_mask + 1) : FIRST_EDGES;
    struct aa_edge *old = thread->edges, *edges = aa_memory_map(capacity * sizeof *edges);
    if (!edges)
        return false;
    thread->edges = edges;
    aa_in_order();
    thread->edge_mask = capacity - 1;
    for (uint64_t i = 0; old && i <= old_mask; i++) {
        if (old[i].node)
            put_edge(thread, old[i]);
    }
    if (old)
        madvise(old, (old_mask + 1) * sizeof *old, MADV_DONTNEED);
    return true;
}

static bool keep_edge(struct aa_thread *thread, struct aa_edge edge) {
    if (4 * thread->edge_count >= thread->edge_mask && !aa_tree_widen(thread))
        return false;
    put_edge(thread, edge);
    thread->edge_count++;
    return true;
}

static const char gone[] = ""; /* no descriptor has this address */

static void forget_keys(struct aa_thread *thread, const char *start, const char *end) {
    uint64_t mask = thread->edge_mask; /* before the table, which may become larger */
    aa_in_order();
    struct aa_edge *edges = thread->edges;
    for (uint64_t i = 0; edges && i <= mask; i++) {
        if (edges[i].node && edges[i].key >= start && edges[i].key < end)
            edges[i].key = gone;
    }
}

void aa_tree_forget_keys(const char *start, const char *end) {
    aa_shard_lock();
    struct aa_record *record = NULL;
    while ((record = aa_shard_next(record))) {
        if (record->type == AA_RECORD_THREAD)
            forget_keys((struct aa_thread *)record, start, end);
    }
    aa_shard_unlock();
}

/* ---- nodes */

static struct aa_node *parent_of(const struct aa_node *node) {
    return node->parent ? (void *)((char *)aa_shard() + (uint64_t)node->parent * AA_SHARD_ALIGNMENT) : NULL;
}

struct aa_node *aa_tree_append(struct aa_thread *thread, struct aa_node *parent, uint32_t region) {
    struct aa_node *node = aa_shard_append(AA_RECORD_NODE, sizeof *node);
    if (!node)
        return NULL;
    node->region = region;
    node->thread = thread->index;
    if (parent)
        node->parent = (uint32_t)(((char *)parent - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
    return node;
}

/* Nodes above the node are all open, so that a region found there is entered recursively. */
static struct aa_node *find_open(struct aa_node *node, uint32_t region, uint32_t *level) {
    for (*level = 0; node && node->region != region; ++*level)
        node = parent_of(node);
    return node;
}

/*
 * Whether a node on this level is to be made: once half of the memory is used, and again once half of the
 * rest is, no more are made on the deepest levels, which hold half of all nodes. What is entered there counts
 * to its parent.
 */
static bool is_shallow(uint32_t level) {
    static uint32_t nodes[LEVELS], all, next = 128;
    struct aa_header *header = aa_shard();
    uint32_t place = level < LEVELS ? level : LEVELS - 1;
    if (aa_shard_filled() >= next) {
        uint32_t deepest = header->deepest ? header->deepest + 1 : LEVELS, below = 0;
        while (deepest > ALWAYS_MADE + 1 && 2 * below < all)
            below += nodes[--deepest];
        header->deepest = deepest - 1;
        next += (256 - next) / 2;
        all -= below;
    }
    if (header->deepest && place > header->deepest)
        return false;
    nodes[place]++;
    all++;
    return true;
}

static bool well_formed(const char *descriptor) {
    static const char version[] = AA_DESCRIPTOR_VERSION "|";
    if (strncmp(descriptor, version, sizeof version - 1) != 0)
        return false;
    int bars = 0;
    for (const char *c = descriptor; *c; c++)
        bars += *c == '|';
    return bars == DESCRIPTOR_BARS;
}

static void refuse(const char *descriptor) {
    if (atomic_fetch_add(&aa_shard()->refused, 1) == 0)
        aa_process_warn("region descriptor of version %s wanted, found '%.60s'; not recorded",
                        AA_DESCRIPTOR_VERSION, descriptor);
}

/* The text's own copy in the shard is a key, too: by it the region is found from any address. */
static struct aa_node *find_or_append(struct aa_thread *thread, struct aa_node *node, const char *key) {
    const struct aa_region *region = aa_region_intern(key);
    if (!region)
        return NULL;
    uint32_t level;
    struct aa_node *child = find_open(node, region->id, &level);
    if (!child)
        child = aa_throttled_node(find_edge(thread, node, region->descriptor)->child);
    if (!child && is_shallow(level) && (child = aa_tree_append(thread, node, region->id))) {
        aa_shard_publish();
        keep_edge(thread, (struct aa_edge){node, region->descriptor, child});
    }
    return child;
}

static struct aa_node *discover(struct aa_thread *thread, struct aa_node *node, const char *key) {
    struct aa_node *child = NULL;
    if (well_formed(key)) {
        aa_shard_lock();
        child = find_or_append(thread, node, key);
        aa_shard_unlock();
    } else {
        refuse(key);
    }
    keep_edge(thread, (struct aa_edge){node, key, child});
    return child;
}

static struct aa_node *look_up(struct aa_thread *thread, struct aa_node *node, const char *key) {
    const struct aa_edge *edge = find_edge(thread, node, key);
    return edge->node ? edge->child : discover(thread, node, key);
}

/* The entry counts to the node itself, which nevertheless is not visited once more. */
static struct aa_node *collapse(struct aa_node *node, uint64_t *counter) {
    ++*counter;
    node->visits--;
    return node;
}

/* The node itself, for whose time it is; the child is visited. */
static struct aa_node *pass(struct aa_node *node, struct aa_node *child) {
    child->visits++;
    node->visits--;
    return node;
}

void aa_tree_throttle(struct aa_thread *thread, const struct aa_node *node, const char *key) {
    struct aa_edge *edge = find_edge(thread, node, key);
    if (edge->node && edge->child)
        edge->child = (struct aa_node *)((uintptr_t)edge->child | AA_THROTTLED);
}

struct aa_node *aa_tree_step(struct aa_thread *thread, const char *key) {
    struct aa_node *node = thread->current;
    if (aa_thread_closed)
        return collapse(node, &thread->reentered);
    aa_thread_closed = true;
    aa_in_order();
    struct aa_node *child = key ? look_up(thread, node, key) : NULL;
    aa_in_order();
    aa_thread_closed = false;
    if (aa_is_throttled(child))
        return pass(node, aa_throttled_node(child));
    return child ? child : collapse(node, &thread->collapsed);
}

/* ---- paths of other threads: kept as edges from the base, by the address of the other thread's node */

static struct aa_node *remember(struct aa_thread *thread, const void *key, struct aa_node *node) {
    if (node)
        keep_edge(thread, (struct aa_edge){thread->base, key, node});
    return node;
}

static struct aa_node *find_or_append_region(struct aa_thread *thread, struct aa_node *parent, uint32_t id) {
    aa_shard_lock();
    struct aa_node *node = find_or_append(thread, parent, aa_region_at(id)->descriptor);
    aa_shard_unlock();
    return node;
}

static struct aa_node *adopt(struct aa_thread *thread, const struct aa_node *node) {
    const struct aa_edge *known = find_edge(thread, thread->base, (const char *)node);
    if (known->node)
        return known->child;
    const struct aa_node *above = parent_of(node);
    struct aa_node *parent = above ? adopt(thread, above) : thread->base;
    if (!parent || node->region == AA_NO_REGION)
        return parent;
    return remember(thread, node, find_or_append_region(thread, parent, node->region));
}

static struct aa_node *append_base(struct aa_thread *thread, struct aa_node *parent) {
    aa_shard_lock();
    struct aa_node *base = aa_tree_append(thread, parent, AA_NO_REGION);
    if (base)
        aa_shard_publish();
    aa_shard_unlock();
    return base;
}

/* A fork's child may get tasks from its parent. */
static bool is_of_this_process(const struct aa_node *node) {
    return (uint64_t)((const char *)node - (const char *)aa_shard()) < atomic_load(&aa_shard()->used);
}

/* An odd address is no node's. */
static struct aa_node *base_below(struct aa_thread *thread, const struct aa_node *node) {
    const char *key = (const char *)node + 1;
    const struct aa_edge *known = find_edge(thread, thread->base, key);
    if (known->node)
        return known->child;
    struct aa_node *parent = adopt(thread, node);
    return !parent || parent == thread->base ? parent : remember(thread, key, append_base(thread, parent));
}

static struct aa_node *go_on(struct aa_thread *thread, const struct aa_node *node,
                             struct aa_node *(*find)(struct aa_thread *, const struct aa_node *)) {
    if (aa_thread_closed || !is_of_this_process(node))
        return thread->base;
    aa_thread_closed = true;
    aa_in_order();
    struct aa_node *own = find(thread, node);
    aa_in_order();
    aa_thread_closed = false;
    if (!own)
        thread->collapsed++;
    return own ? own : thread->base;
}

struct aa_node *aa_tree_adopt(struct aa_thread *thread, const struct aa_node *node) {
    return go_on(thread, node, adopt);
}

struct aa_node *aa_tree_base_below(struct aa_thread *thread, const struct aa_node *node) {
    return go_on(thread, node, base_below);
}
