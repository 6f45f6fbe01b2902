/* The call-path tree of a thread. */
#ifndef AA_TREE_H
#define AA_TREE_H

#include "shard.h"

/* Append a node; null if there is no more memory. The caller holds the shard's lock, and publishes. */
struct aa_node *aa_tree_append(struct aa_thread *thread, struct aa_node *parent, uint32_t region);

/* Twice the room for edges; false if there is no more memory. */
bool aa_tree_widen(struct aa_thread *thread);

/* Count the time since the last event to where the thread stands. */
void aa_tree_book(struct aa_thread *thread);

/* What an entry and exit of a region costs, in ticks. */
double aa_tree_pair_cost(void);

#endif
