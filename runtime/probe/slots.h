/* Slots, in which Fortran's stub counts entries of throttled regions, and what it knows of the main thread.
 */
#ifndef AA_SLOTS_H
#define AA_SLOTS_H

#include "probe.h"
#include "shard.h"

/*
 * A place where Fortran's stub finds that a region is throttled where the main thread is, so that it counts
 * the entry itself. In arguments for sites, a slot has an odd address.
 */
struct aa_slot {
    const char *key;
    const struct aa_node *from;
    uint64_t *visits;
    uint32_t generation; /* the slot is valid while this equals that of aa_probe_main */
    uint32_t since;      /* the lower half of the visits when the slot was filled */
};

/* What the stub knows of the main thread. */
struct aa_main {
    const char *stack; /* like aa_probe_stack; null: the thread has no tree */
    const struct aa_place {
        struct aa_node *node;
        uint64_t last, top, due;
        uint32_t share;
    } * place; /* the thread's own fields from `current` on */
    uint32_t generation;
};

/* Makes all slots invalid, because a node of some thread is timed again or gets frames. Called after its
 * edges have changed: a slot that is filled meanwhile gets the generation before. */
static inline void aa_slots_forget(void) {
    __atomic_fetch_add(&aa_probe_main.generation, 1, __ATOMIC_RELEASE);
}

#endif
