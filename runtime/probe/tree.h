/* The call-path tree of a thread: nodes in the shard, and edges by which a child is found at one look. */
#ifndef AA_TREE_H
#define AA_TREE_H

#include "shard.h"

static inline uint64_t aa_tree_hash(const struct aa_node *node, const char *key) {
    return (((uintptr_t)node >> 6) ^ (uintptr_t)key) * 0x9e3779b97f4a7c15u >> 32;
}

static inline struct aa_edge *aa_tree_first_edge(const struct aa_thread *thread, const struct aa_node *node,
                                                 const char *key) {
    return &thread->edges[aa_tree_hash(node, key) & thread->edge_mask];
}

/* From the current node by a descriptor; the current node itself, if the entry is not to be told apart. */
struct aa_node *aa_tree_step(struct aa_thread *thread, const char *key);

/*
 * The thread's own node for the path that a node of another thread stands for; the thread's base, if there is
 * no memory. And a base below it.
 */
struct aa_node *aa_tree_adopt(struct aa_thread *thread, const struct aa_node *node);
struct aa_node *aa_tree_base_below(struct aa_thread *thread, const struct aa_node *node);

/* Append a node; null if there is no more memory. The caller holds the shard's lock, and publishes. */
struct aa_node *aa_tree_append(struct aa_thread *thread, struct aa_node *parent, uint32_t region);

/* Descriptors in this memory are no keys any more, for any thread. */
void aa_tree_forget_keys(const char *start, const char *end);

/* The child behind this edge is throttled. The caller holds the shard's lock. */
void aa_tree_throttle(struct aa_thread *thread, const struct aa_node *node, const char *key);

/* Twice the room for edges; false if there is no more memory. */
bool aa_tree_widen(struct aa_thread *thread);

#endif
