/* Slots, in which Fortran's stub counts entries of throttled regions, and data about the main thread for the
 * stub. */
#ifndef AA_SLOTS_H
#define AA_SLOTS_H

#include "probe.h"
#include "shard.h"

/*
 * Shows Fortran's stub that a region is throttled below the main thread's current node, so that the stub can
 * count the entry itself. If a slot is passed in place of a site, its address is odd.
 */
struct aa_slot {
    const char *key;
    const struct aa_node *from;
    uint64_t *visits;
    uint32_t generation; /* the slot is valid while this equals the generation in aa_probe_main */
    uint32_t since;      /* the lower 32 bits of the number of visits when the slot was filled */
};

/* The data about the main thread that the stub reads. */
struct aa_main {
    const char *stack; /* like aa_probe_stack; null: the thread has no tree */
    const struct aa_place {
        struct aa_node *node;
        uint64_t last, top, due;
        uint32_t share;
    } * place; /* the thread's own fields, beginning with `current` */
    uint32_t generation;
};

/* Invalidates all slots, because some thread's node is timed again or gets frames. Called after the node's
 * edges have changed, so that a slot that is filled in the meantime gets the old generation. */
static inline void aa_slots_forget(void) {
    __atomic_fetch_add(&aa_probe_main.generation, 1, __ATOMIC_RELEASE);
}

#endif
