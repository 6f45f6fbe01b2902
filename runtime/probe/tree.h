/*
 * The call-path tree of a thread: nodes in the shard, and a hash table of edges to find a child in one
 * step.
 */
#ifndef AA_TREE_H
#define AA_TREE_H

#include "key.h"
#include "self.h"
#include "shard.h"

/*
 * Flags in an edge's child: its time goes to its parent; it gets frames nevertheless, so that its position
 * is known; its key is never unloaded.
 */
#define AA_THROTTLED ((uintptr_t)1)
#define AA_FRAMED ((uintptr_t)2)
#define AA_LASTING ((uintptr_t)4)

static inline bool aa_is_throttled(const struct aa_node *child) {
    return (uintptr_t)child & AA_THROTTLED;
}

static inline bool aa_is_framed(const struct aa_node *child) {
    return (uintptr_t)child & AA_FRAMED;
}

static inline bool aa_is_lasting(const struct aa_node *child) {
    return (uintptr_t)child & AA_LASTING;
}

static inline struct aa_node *aa_throttled_node(const struct aa_node *child) {
    return (struct aa_node *)((uintptr_t)child & ~(AA_THROTTLED | AA_FRAMED | AA_LASTING));
}

static inline uint64_t aa_tree_hash(const struct aa_node *node, const char *key) {
    return (((uintptr_t)node >> 6) ^ (uintptr_t)key) * 0x9e3779b97f4a7c15u >> 32;
}

struct aa_edges {
    struct aa_edge *first;
    uint64_t mask;
};

/*
 * Reads the mask first: if a signal handler widens the table meanwhile, the mask is too small rather than
 * too large.
 */
static inline struct aa_edges aa_tree_edges(const struct aa_thread *thread) {
    uint64_t mask = thread->edge_mask;
    aa_in_order();
    return (struct aa_edges){thread->edges, mask};
}

static inline struct aa_edge *aa_tree_first_edge(const struct aa_thread *thread, const struct aa_node *node,
                                                 const char *key) {
    struct aa_edges edges = aa_tree_edges(thread);
    return &edges.first[aa_tree_hash(node, key) & edges.mask];
}

/* Returns the edge to a child; one without a child if there is none. */
struct aa_edge *aa_tree_edge(const struct aa_thread *thread, const struct aa_node *node, const char *key);

/* Returns the parent; null for a base that is below no other node. */
struct aa_node *aa_tree_parent(const struct aa_node *node);

/*
 * Goes from the current node to the child for a descriptor; returns it, marked if it is throttled, or null
 * if the entry counts to the parent.
 */
struct aa_node *aa_tree_step(struct aa_thread *thread, const char *key);

/*
 * Returns the thread's own node for the call path of another node, mostly of another thread; its base if
 * there is no memory. And a base below such a node.
 */
struct aa_node *aa_tree_adopt(struct aa_thread *thread, struct aa_node *node);
struct aa_node *aa_tree_base_below(struct aa_thread *thread, const struct aa_node *node);

/* Appends a node; null without memory. The caller holds the shard's lock, and publishes the node. */
struct aa_node *aa_tree_append(struct aa_thread *thread, struct aa_node *parent, uint32_t region);

/* Sets or clears flags in all edges from the node to the child. */
void aa_tree_mark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child,
                  uintptr_t bits);
void aa_tree_unmark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child);

/* Sets the frame flag in edges from the node to throttled children whose descriptors are wanted. */
void aa_tree_frame(struct aa_thread *thread, const struct aa_node *node,
                   bool (*is_wanted)(const char *descriptor));

/*
 * Returns the data attached to a node; null if there are none. They are attached once, under the shard's
 * lock.
 */
void *aa_tree_note(const struct aa_thread *thread, const struct aa_node *node);
bool aa_tree_keep_note(struct aa_thread *thread, const struct aa_node *node, void *note);

/* Whether a node has no children, or only throttled ones. */
bool aa_tree_is_leaf(const struct aa_thread *thread, const struct aa_node *node);

/* Forgets descriptors in this memory. The caller holds the shard's lock, also for the following functions. */
void aa_tree_forget_keys(struct aa_thread *thread, struct aa_span span);

/* Doubles the hash table of edges; false without memory. */
bool aa_tree_widen(struct aa_thread *thread);

/* In the child of a fork, which has its own shard. */
void aa_tree_forget(void);

#endif
