/* The call-path tree of a thread: nodes in the shard, and edges between them. */
#ifndef AA_TREE_H
#define AA_TREE_H

#include "edges.h"

/*
 * Returns the child of the thread's current node for a descriptor, with its flags; appends the child if it is
 * new. Returns null if there is no memory or the descriptor is refused; the entry then counts towards the
 * current node.
 */
struct aa_node *aa_tree_step(struct aa_thread *thread, const char *key);

/*
 * Returns the thread's own node for the call path of a node that usually belongs to another thread; the
 * thread's base if there is no memory.
 */
struct aa_node *aa_tree_adopt(struct aa_thread *thread, struct aa_node *node);
/* Returns the thread's own base below that node, for time outside all regions. */
struct aa_node *aa_tree_base_below(struct aa_thread *thread, const struct aa_node *node);

/*
 * Appends a node; returns null if there is no memory. parent: null for a base. region: the region's number,
 * or AA_NO_REGION for a base. The caller holds the shard's lock, and publishes the node.
 */
struct aa_node *aa_tree_append(struct aa_thread *thread, struct aa_node *parent, uint32_t region);

/* Returns whether an address is in the shard of this process, rather than of the process that forked it. */
bool aa_tree_is_ours(const void *in_shard);

/* Resets the numbers of nodes in the child of a fork, which has its own shard. */
void aa_tree_forget(void);

#endif
