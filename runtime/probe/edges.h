/*
 * The edges of a thread's call-path tree (tree.h): a hash table that finds a node's child in one step. It
 * also contains the data attached to nodes.
 */
#ifndef AA_EDGES_H
#define AA_EDGES_H

#include "key.h"
#include "self.h"
#include "shard.h"

#include <stddef.h>

/*
 * Flags in the lowest bits of an edge's child. AA_THROTTLED: the child's time goes to its parent. AA_FRAMED:
 * it still gets frames, so that the library knows when the program is inside it. AA_LASTING: its key is never
 * unloaded. AA_ALONE: its entries seldom follow each other, so opening a site for it is not worthwhile
 * (site.h).
 */
#define AA_THROTTLED ((uintptr_t)1)
#define AA_FRAMED ((uintptr_t)2)
#define AA_LASTING ((uintptr_t)4)
#define AA_ALONE ((uintptr_t)8)
#define AA_FLAGS (AA_THROTTLED | AA_FRAMED | AA_LASTING | AA_ALONE)

static inline bool aa_is_throttled(const struct aa_node *child) {
    return (uintptr_t)child & AA_THROTTLED;
}

static inline bool aa_is_framed(const struct aa_node *child) {
    return (uintptr_t)child & AA_FRAMED;
}

static inline bool aa_is_lasting(const struct aa_node *child) {
    return (uintptr_t)child & AA_LASTING;
}

static inline bool aa_is_alone(const struct aa_node *child) {
    return (uintptr_t)child & AA_ALONE;
}

/* Returns a child without its flags. */
static inline struct aa_node *aa_throttled_node(const struct aa_node *child) {
    return (struct aa_node *)((uintptr_t)child & ~AA_FLAGS);
}

static inline uint64_t aa_tree_hash(const struct aa_node *node, const char *key) {
    return (((uintptr_t)node >> 6) ^ (uintptr_t)key) * 0x9e3779b97f4a7c15u >> 32;
}

struct aa_edges {
    struct aa_edge *first;
    uint64_t mask;
};

/*
 * Returns a thread's table of edges. The mask is read first, so that it is too small rather than too large if
 * a signal handler widens the table in the meantime.
 */
static inline struct aa_edges aa_tree_edges(const struct aa_thread *thread) {
    uint64_t mask = thread->edge_mask;
    aa_in_order();
    return (struct aa_edges){thread->edges, mask};
}

/* Returns the edge with which the search for a child begins; it may belong to another child. */
static inline struct aa_edge *aa_tree_first_edge(const struct aa_thread *thread, const struct aa_node *node,
                                                 const char *key) {
    struct aa_edges edges = aa_tree_edges(thread);
    return &edges.first[aa_tree_hash(node, key) & edges.mask];
}

/* Returns a node's edge with this key; if there is none, an unused edge, whose node is null. */
struct aa_edge *aa_tree_edge(const struct aa_thread *thread, const struct aa_node *node, const char *key);

/* Returns the parent of a node; null for a base that is not below another node. */
static inline struct aa_node *aa_tree_parent(const struct aa_node *node) {
    return node->parent ? (void *)((char *)aa_shard() + (uint64_t)node->parent * AA_SHARD_ALIGNMENT) : NULL;
}

/*
 * Adds an edge; returns false if there is no memory. child: includes its flags; may be null. The caller holds
 * the shard's lock.
 */
bool aa_tree_keep_edge(struct aa_thread *thread, struct aa_node *node, const char *key,
                       struct aa_node *child);

/*
 * Set the given flags, or clear all flags, in all edges from the node to the child. The caller holds the
 * shard's lock.
 */
void aa_tree_mark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child,
                  uintptr_t bits);
void aa_tree_unmark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child);

/* Sets or clears AA_ALONE in the node's edge with this key, if its child is still throttled. */
void aa_tree_mark_alone(struct aa_thread *thread, const struct aa_node *node, const char *key, bool alone);

/* Sets AA_FRAMED in the edges from the node to this throttled child. The caller does not hold the lock. */
void aa_tree_frame_child(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child);
/*
 * Sets AA_FRAMED in the edges from the node to those throttled children for whose descriptors is_wanted
 * returns true.
 */
void aa_tree_frame(struct aa_thread *thread, const struct aa_node *node,
                   bool (*is_wanted)(const char *descriptor));

/* Returns the data attached to a node; null if there are none. */
void *aa_tree_note(const struct aa_thread *thread, const struct aa_node *node);
/*
 * Attaches data to a node, only once; returns false if there is no memory. The caller holds the shard's
 * lock.
 */
bool aa_tree_keep_note(struct aa_thread *thread, const struct aa_node *node, void *note);

/* Returns whether a node has no children that are timed. */
bool aa_tree_is_leaf(const struct aa_thread *thread, const struct aa_node *node);

/* Removes the keys in this memory from the thread's edges. The caller holds the shard's lock. */
void aa_tree_forget_keys(struct aa_thread *thread, struct aa_span span);

/* Doubles the hash table of edges; returns false if there is no memory. The caller holds the shard's lock. */
bool aa_tree_widen(struct aa_thread *thread);

#endif
