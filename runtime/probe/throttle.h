/*
 * Regions so small and entered so often that measuring them costs more than AUTOANALYZER_MAX_OVERHEAD allows:
 * their time goes to their parents from then on, and their entries are counted at no more than the price of a
 * call.
 */
#ifndef AA_THROTTLE_H
#define AA_THROTTLE_H

#include "shard.h"

#define AA_THROTTLE_PERIOD 4096u /* visits of a node after which it is looked at */

/* An edge's child whose time goes to its parent has this bit. */
#define AA_THROTTLED ((uintptr_t)1)

static inline bool aa_is_throttled(const struct aa_node *child) {
    return (uintptr_t)child & AA_THROTTLED;
}

static inline struct aa_node *aa_throttled_node(const struct aa_node *child) {
    return (struct aa_node *)((uintptr_t)child & ~AA_THROTTLED);
}

/* The share that events may take; 0: as much as they do. Read from the environment when the library is
 * loaded. */
void aa_throttle_load(void);

/* A node was entered by a descriptor from another one for so many times again. */
void aa_throttle_look(struct aa_thread *thread, const struct aa_node *parent, const char *key,
                      struct aa_node *node);

#endif
