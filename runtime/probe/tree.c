#include "tree.h"
#include "object.h"
#include "probe.h"
#include "region.h"
#include "self.h"
#include "warning.h"

#include <string.h>

#define DESCRIPTOR_BARS 7
#define LEVELS 64
#define ALWAYS_MADE 2u /* number of levels that always get nodes: main, and the functions that it calls */

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

/*
 * Returns the node, or its nearest ancestor, with this region; null if there is none. All ancestors are open,
 * so the region is entered recursively. level: the number of nodes that were searched.
 */
static struct aa_node *find_open(struct aa_node *node, uint32_t region, uint32_t *level) {
    for (*level = 0; node && node->region != region; ++*level)
        node = aa_tree_parent(node);
    return node;
}

/*
 * The number of nodes on each level, and on all levels that get new nodes; and the part of the memory beyond
 * its first half, in 256ths, that may be used before further levels get no more nodes.
 */
static struct { uint32_t nodes[LEVELS], all, given_up; } made;

void aa_tree_forget(void) {
    memset(&made, 0, sizeof made);
}

/*
 * Returns whether to create a node on this level. When half of the memory is used, and again when half of
 * the remaining memory is used, the deepest levels, which contain half of all nodes, get no more nodes.
 * Entries on these levels count towards their parents.
 */
static bool is_shallow(uint32_t level) {
    struct aa_header *header = aa_shard();
    uint32_t place = level < LEVELS ? level : LEVELS - 1;
    if (aa_shard_filled() >= 128 + made.given_up) {
        uint32_t deepest = header->deepest ? header->deepest + 1 : LEVELS, below = 0;
        while (deepest > ALWAYS_MADE + 1 && 2 * below < made.all)
            below += made.nodes[--deepest];
        header->deepest = deepest - 1;
        made.given_up += (128 - made.given_up) / 2;
        made.all -= below;
    }
    if (header->deepest && place > header->deepest)
        return false;
    made.nodes[place]++;
    made.all++;
    return true;
}

static bool well_formed(const char *descriptor) {
    static const char version[] = AA_DESCRIPTOR_VERSION "|";
    if (strncmp(descriptor, version, sizeof version - 1) != 0)
        return false;
    int bars = 0;
    for (const char *c = descriptor; *c; c++)
        bars += *c == '|';
    return bars == DESCRIPTOR_BARS || bars == DESCRIPTOR_BARS + 1; /* the last field is optional */
}

static void refuse(const char *descriptor) {
    if (atomic_fetch_add(&aa_shard()->refused, 1) == 0)
        aa_warn("expected a region descriptor of version %s, found '%.60s'; this region is not recorded",
                AA_DESCRIPTOR_VERSION, descriptor);
}

/*
 * Returns the child for a descriptor, and appends it if it is new. The copy of the text in the shard is also
 * a key of the child, so all addresses with the same text lead to one child.
 */
static struct aa_node *find_or_append(struct aa_thread *thread, struct aa_node *node, const char *key) {
    const struct aa_region *region = aa_region_intern(key);
    if (!region)
        return NULL;
    uint32_t level;
    struct aa_node *child = find_open(node, region->id, &level);
    if (!child)
        child = aa_tree_edge(thread, node, region->descriptor)->child;
    if (!child && is_shallow(level) && (child = aa_tree_append(thread, node, region->id))) {
        aa_shard_publish();
        aa_tree_keep_edge(thread, node, region->descriptor, child);
    }
    return child;
}

static struct aa_node *discover(struct aa_thread *thread, struct aa_node *node, const char *key) {
    bool is_descriptor = well_formed(key);
    if (!is_descriptor)
        refuse(key);
    else
        aa_object_note(key);
    aa_shard_lock();
    struct aa_node *child = is_descriptor ? find_or_append(thread, node, key) : NULL;
    aa_tree_keep_edge(thread, node, key, child);
    aa_shard_unlock();
    return child;
}

static struct aa_node *look_up(struct aa_thread *thread, struct aa_node *node, const char *key) {
    const struct aa_edge *edge = aa_tree_edge(thread, node, key);
    return edge->node ? edge->child : discover(thread, node, key);
}

struct aa_node *aa_tree_step(struct aa_thread *thread, const char *key) {
    if (aa_thread_closed) {
        thread->reentered++;
        return NULL;
    }
    struct aa_section section = aa_section_begin();
    struct aa_node *child = key ? look_up(thread, thread->current, key) : NULL;
    aa_section_end(section);
    thread->collapsed += !child;
    return child;
}

/*
 * ---- call paths of other threads: the thread's own nodes for these call paths are stored as edges from its
 * base; the key is the address of the other thread's node
 */

/* Stores an edge from the base to a node, unless the node is null; returns the node. The caller holds the
 * lock. */
static struct aa_node *remember(struct aa_thread *thread, const void *key, struct aa_node *node) {
    if (node)
        aa_tree_keep_edge(thread, thread->base, key, node);
    return node;
}

static struct aa_node *adopt_region(struct aa_thread *thread, struct aa_node *parent,
                                    const struct aa_node *node) {
    aa_shard_lock();
    struct aa_node *own = find_or_append(thread, parent, aa_region_at(node->region)->descriptor);
    own = remember(thread, node, aa_throttled_node(own));
    aa_shard_unlock();
    return own;
}

static struct aa_node *adopt(struct aa_thread *thread, const struct aa_node *node) {
    const struct aa_edge *known = aa_tree_edge(thread, thread->base, (const char *)node);
    if (known->node)
        return aa_throttled_node(known->child);
    const struct aa_node *above = aa_tree_parent(node);
    struct aa_node *parent = above ? adopt(thread, above) : thread->base;
    if (!parent || node->region == AA_NO_REGION)
        return parent;
    return adopt_region(thread, parent, node);
}

static struct aa_node *append_base(struct aa_thread *thread, const void *key, struct aa_node *parent) {
    aa_shard_lock();
    struct aa_node *base = aa_tree_append(thread, parent, AA_NO_REGION);
    if (base)
        aa_shard_publish();
    remember(thread, key, base);
    aa_shard_unlock();
    return base;
}

/* The child of a fork may get tasks from its parent. */
bool aa_tree_is_ours(const void *in_shard) {
    return (uint64_t)((const char *)in_shard - (const char *)aa_shard()) < atomic_load(&aa_shard()->used);
}

/* Returns the base below a node. Its key is an odd address, which differs from all nodes' even addresses. */
static struct aa_node *base_below(struct aa_thread *thread, const struct aa_node *node) {
    const char *key = (const char *)node + 1;
    const struct aa_edge *known = aa_tree_edge(thread, thread->base, key);
    if (known->node)
        return known->child;
    struct aa_node *parent = adopt(thread, node);
    return !parent || parent == thread->base ? parent : append_base(thread, key, parent);
}

static struct aa_node *go_on(struct aa_thread *thread, const struct aa_node *node,
                             struct aa_node *(*find)(struct aa_thread *, const struct aa_node *)) {
    if (aa_thread_closed || !aa_tree_is_ours(node))
        return thread->base;
    struct aa_section section = aa_section_begin();
    struct aa_node *own = find(thread, node);
    aa_section_end(section);
    if (!own)
        thread->collapsed++;
    return own ? own : thread->base;
}

struct aa_node *aa_tree_adopt(struct aa_thread *thread, struct aa_node *node) {
    bool is_own = aa_tree_is_ours(node) && node->thread == thread->index;
    return is_own ? node : go_on(thread, node, adopt);
}

struct aa_node *aa_tree_base_below(struct aa_thread *thread, const struct aa_node *node) {
    return go_on(thread, node, base_below);
}
