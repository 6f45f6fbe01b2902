/* The cost of probes, measured when the process creates its shard. */
#ifndef AA_PRICE_H
#define AA_PRICE_H

#include <stdbool.h>
#include <stdint.h>

struct aa_slot;

/*
 * The measured operations, in this order: the entry to and exit from a region; the same with work in the
 * region; the same with work, through Fortran's stub; the entry to and exit from a throttled region, where
 * the entry calls the library; the same through Fortran's stub, where the exit also calls the library; the
 * same where the entry opens a site, which is closed again; a library call in a region.
 */
enum aa_priced {
    AA_PAIR,
    AA_WORKING_PAIR,
    AA_FORTRAN_PAIR,
    AA_THROTTLED_PAIR,
    AA_LEFT_PAIR,
    AA_OPENED_PAIR,
    AA_CALL
};

/*
 * The functions for events in probe.h. They are passed as pointers, because this file must not depend on
 * them.
 */
struct aa_probes {
    const char *(*enter)(const char *descriptor);
    const char *(*enter_counted)(const char *descriptor, int64_t *site);
    void (*enter_in_slot)(const char *descriptor, struct aa_slot *slot);
    void (*leave)(const char *descriptor);
    void (*leave_or_pass)(const char *descriptor);
    bool (*begin)(uint32_t share);
    void (*end)(bool outermost);
};

/* Sets the functions; must be called before any cost is measured. */
void aa_price_these(const struct aa_probes *probes);

/* Measures an operation; returns its cost in ticks. */
double aa_price_of(enum aa_priced what);

/*
 * Where an entry to a throttled region may be counted without a call: in the region's own site, or in a
 * Fortran slot.
 */
enum aa_passing { AA_IN_SITE, AA_IN_SLOT };
/*
 * Measures an entry to and exit from a throttled region whose entries are counted in a site or slot; returns
 * the cost in ticks.
 */
double aa_price_of_passing(enum aa_passing how);

#endif
