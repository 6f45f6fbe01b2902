/* The call-path tree of a thread: nodes in the shard, and edges by which a child is found at one look. */
#ifndef AA_TREE_H
#define AA_TREE_H

#include "key.h"
#include "self.h"
#include "shard.h"

/* Bits of an edge's child: its time goes to its parent; and yet somebody must know where it is open; and what
 * it is known by is never unloaded. */
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

/* A signal handler may widen the table meanwhile: the mask is not that of a later table than the edges are.
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

/* By which a child is found; without a node if there is none. */
struct aa_edge *aa_tree_edge(const struct aa_thread *thread, const struct aa_node *node, const char *key);

/* The node above, null above a base that stands below nothing. */
struct aa_node *aa_tree_parent(const struct aa_node *node);

/* From the current node by a descriptor to a child, marked if it is throttled; null if the entry is not to be
 * told apart. */
struct aa_node *aa_tree_step(struct aa_thread *thread, const char *key);

/*
 * The thread's own node for the path that a node stands for, mostly of another thread; the thread's base, if
 * there is no memory. And a base below it.
 */
struct aa_node *aa_tree_adopt(struct aa_thread *thread, struct aa_node *node);
struct aa_node *aa_tree_base_below(struct aa_thread *thread, const struct aa_node *node);

/* Append a node; null if there is no more memory. The caller holds the shard's lock, and publishes. */
struct aa_node *aa_tree_append(struct aa_thread *thread, struct aa_node *parent, uint32_t region);

/* All edges from the node to the child get these bits, or lose all. */
void aa_tree_mark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child,
                  uintptr_t bits);
void aa_tree_unmark(struct aa_thread *thread, const struct aa_node *node, const struct aa_node *child);

/* Edges from the node to what is throttled, and of such a region, are framed. */
void aa_tree_frame(struct aa_thread *thread, const struct aa_node *node,
                   bool (*is_wanted)(const char *descriptor));

/* What is known of a node besides; null: nothing. It is kept under the shard's lock, once. */
void *aa_tree_note(const struct aa_thread *thread, const struct aa_node *node);
bool aa_tree_keep_note(struct aa_thread *thread, const struct aa_node *node, void *note);

/* Whether nothing is entered from the node, or only what is throttled. */
bool aa_tree_is_leaf(const struct aa_thread *thread, const struct aa_node *node);

/* Descriptors in this memory lead nowhere any more. The caller holds the shard's lock; so it does in the
 * following. */
void aa_tree_forget_keys(struct aa_thread *thread, struct aa_span span);

/* Twice the room for edges; false if there is no more memory. */
bool aa_tree_widen(struct aa_thread *thread);

/* In the child of a fork, which has a shard of its own. */
void aa_tree_forget(void);

#endif
