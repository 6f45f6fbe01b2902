#define _GNU_SOURCE
#include "edges.h"
#include "memory.h"
#include "region.h"
#include "self.h"
#include "slots.h"

#include <sys/mman.h>

#define FIRST_EDGES 1024u
/* children are counted in this unit, so that their number does not affect the flags */
#define ONE_CHILD (AA_FLAGS + 1)

struct aa_edge *aa_tree_edge(const struct aa_thread *thread, const struct aa_node *node, const char *key) {
    struct aa_edges edges = aa_tree_edges(thread);
    uint64_t place = aa_tree_hash(node, key) & edges.mask;
    struct aa_edge *edge = &edges.first[place];
    while (edge->node && (edge->node != node || aa_key_get(&edge->key) != key))
        edge = &edges.first[place = (place + 1) & edges.mask];
    return edge;
}

static struct aa_edge *put_edge(struct aa_thread *thread, struct aa_edge put) {
    struct aa_edge *edge = aa_tree_edge(thread, put.node, put.key);
    edge->child = put.child;
    edge->other = put.other;
    aa_key_set(&edge->key, put.key);
    aa_in_order();
    edge->node = put.node;
    return edge;
}

/*
 * Edges from a node to one of its children form a list, so that they are found without a search of the table.
 * The first edge has the text in the shard as its key. Returns the first edge; if there is none, an unused
 * edge.
 */
static struct aa_edge *first_edge_to(const struct aa_thread *thread, const struct aa_node *node,
                                     const struct aa_node *child) {
    return aa_tree_edge(thread, node, aa_region_at(child->region)->descriptor);
}

/* Returns the next edge from the same node to the same child; null after the last one. */
static struct aa_edge *next_edge_to(const struct aa_thread *thread, const struct aa_edge *edge) {
    return edge->other ? aa_tree_edge(thread, edge->node, edge->other) : NULL;
}

/* Returns whether an edge leads from a node to its data, as shown by an odd address (see beside). */
static bool is_data(const struct aa_edge *edge) {
    return (uintptr_t)edge->node & 1;
}

/* Adds an edge to the list of edges from its node to its child; returns whether it was added. */
static bool list_edge(const struct aa_thread *thread, struct aa_edge *edge) {
    const struct aa_node *child = is_data(edge) ? NULL : aa_throttled_node(edge->child);
    if (!child || child->region == AA_NO_REGION || aa_tree_parent(child) != edge->node)
        return false;
    struct aa_edge *first = first_edge_to(thread, edge->node, child);
    if (!first->node || first == edge)
        return false;
    edge->other = first->other;
    first->other = aa_key_get(&edge->key);
    return true;
}

/* The old table stays mapped, but empty, because an event that a signal handler interrupted may still read
 * it. */
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

/*
 * Returns a child with its own flags and these flags. AA_LASTING depends on the key, because a child may have
 * several keys.
 */
static struct aa_node *marked(const struct aa_node *child, uintptr_t bits, const char *key) {
    bits |= (uintptr_t)child & (AA_THROTTLED | AA_FRAMED);
    if (bits && aa_is_never_unloaded(key))
        bits |= AA_LASTING;
    return (struct aa_node *)((uintptr_t)aa_throttled_node(child) | bits);
}

/* Returns an odd address as the source of the edges to a node's data; nodes have even addresses. */
static struct aa_node *beside(const struct aa_node *node) {
    return (struct aa_node *)((char *)node + 1);
}

/* Returns whether an edge leads to another node that is timed, rather than to a node's data. */
static bool is_timed(const struct aa_edge *edge) {
    return !is_data(edge) && !aa_is_throttled(edge->child) && edge->child != edge->node;
}

static const char children_key[] = "children";

/* Adds to the number of a node's timed children. The caller holds the lock. */
static void count_children(struct aa_thread *thread, const struct aa_node *node, int more) {
    struct aa_edge *edge = aa_tree_edge(thread, beside(node), children_key);
    uintptr_t children = (uintptr_t)edge->child + (uintptr_t)more * ONE_CHILD;
    if (edge->node)
        edge->child = (struct aa_node *)children;
    else
        aa_tree_keep_edge(thread, beside(node), children_key, (struct aa_node *)children);
}

bool aa_tree_keep_edge(struct aa_thread *thread, struct aa_node *node, const char *key,
                       struct aa_node *child) {
    if (4 * thread->edge_count >= thread->edge_mask && !aa_tree_widen(thread))
        return false;
    struct aa_edge *edge = put_edge(thread, (struct aa_edge){node, key, marked(child, 0, key), NULL});
    bool is_first = !list_edge(thread, edge);
    thread->edge_count++;
    if (is_timed(edge) && is_first)
        count_children(thread, node, 1);
    return true;
}

void aa_tree_forget_keys(struct aa_thread *thread, struct aa_span span) {
    const struct aa_edge *end = thread->edges + (thread->edges ? thread->edge_mask + 1 : 0);
    for (struct aa_edge *edge = thread->edges; edge < end; edge++) {
        aa_key_forget(&edge->key, span);
        edge->other = NULL;
    }
    for (struct aa_edge *edge = thread->edges; edge < end; edge++) {
        if (edge->node && aa_key_get(&edge->key) != aa_no_key)
            list_edge(thread, edge);
    }
}

/* Returns the node's next edge after the given one, or its first edge if that is null; null after the last.
 */
static struct aa_edge *next_edge(const struct aa_thread *thread, const struct aa_node *node,
                                 struct aa_edge *edge) {
    const struct aa_edge *end = thread->edges + thread->edge_mask + 1;
    for (edge = edge ? edge + 1 : thread->edges; edge < end; edge++) {
        if (edge->node == node)
            return edge;
    }
    return NULL;
}

/* Sets these flags in all edges from the node to the child, or clears all flags if bits is 0. */
static void flag(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child,
                 uintptr_t bits) {
    struct aa_edge *first = first_edge_to(thread, node, child);
    if (!first->node)
        return;
    int children = -is_timed(first);
    for (struct aa_edge *edge = first; edge; edge = next_edge_to(thread, edge))
        edge->child = bits ? marked(edge->child, bits, aa_key_get(&edge->key)) : aa_throttled_node(child);
    children += is_timed(first);
    if (children)
        count_children(thread, node, children);
}

void aa_tree_mark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child,
                  uintptr_t bits) {
    flag(thread, node, child, bits);
    if (bits & AA_FRAMED) /* otherwise, the child was not throttled before, so it has no valid slot */
        aa_slots_forget();
}

void aa_tree_unmark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child) {
    flag(thread, node, child, 0);
    aa_slots_forget();
}

/* Works in a section, so that no signal handler marks the edge at the same time. */
void aa_tree_mark_alone(struct aa_thread *thread, const struct aa_node *node, const char *key, bool alone) {
    struct aa_section section = aa_section_begin();
    struct aa_edge *edge = aa_tree_edge(thread, node, key);
    if (aa_is_throttled(edge->child))
        edge->child = (struct aa_node *)(((uintptr_t)edge->child & ~AA_ALONE) | (alone ? AA_ALONE : 0));
    aa_section_end(section);
}

void aa_tree_frame_child(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child) {
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    aa_tree_mark(thread, node, child, AA_FRAMED);
    aa_shard_unlock();
    aa_section_end(section);
}

void aa_tree_frame(struct aa_thread *thread, const struct aa_node *node,
                   bool (*is_wanted)(const char *descriptor)) {
    for (struct aa_edge *edge = NULL; (edge = next_edge(thread, node, edge));) {
        const struct aa_node *child = aa_throttled_node(edge->child);
        if (aa_is_throttled(edge->child) && is_wanted(aa_region_at(child->region)->descriptor))
            edge->child = marked(edge->child, AA_FRAMED, aa_key_get(&edge->key));
    }
    aa_slots_forget();
}

static const char note_key[] = "note";

void *aa_tree_note(const struct aa_thread *thread, const struct aa_node *node) {
    return aa_tree_edge(thread, beside(node), note_key)->child;
}

bool aa_tree_keep_note(struct aa_thread *thread, const struct aa_node *node, void *note) {
    return aa_tree_keep_edge(thread, beside(node), note_key, note);
}

bool aa_tree_is_leaf(const struct aa_thread *thread, const struct aa_node *node) {
    return !aa_tree_edge(thread, beside(node), children_key)->child;
}
