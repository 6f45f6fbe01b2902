/* The overhead of probes, measured when the process starts. */
#ifndef AA_PRICE_H
#define AA_PRICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The measured operations: an entry and exit of a region; the same of a throttled one, whose entry calls
 * the library; the same if its exit does, too; the same if its entry opens a site, which is then closed; a
 * library call in a region.
 */
enum aa_priced { AA_PAIR, AA_THROTTLED_PAIR, AA_LEFT_PAIR, AA_OPENED_PAIR, AA_CALL };

/* The functions for events in probe.h, passed as pointers because this file must not depend on them. */
struct aa_probes {
    const char *(*enter)(const char *descriptor);
    const char *(*enter_counted)(const char *descriptor, int64_t *site);
    void (*leave)(const char *descriptor);
    void (*leave_or_pass)(const char *descriptor);
    bool (*begin)(uint32_t share);
    void (*end)(bool outermost);
};

/* Must be called before any price is requested. */
void aa_price_these(const struct aa_probes *probes);

/* Returns the cost of an operation, in ticks. */
double aa_price_of(enum aa_priced what);

/* Returns the cost if the entry of a throttled region is only counted, in its own site or in a Fortran slot.
 */
enum aa_passing { AA_IN_SITE, AA_IN_SLOT };
double aa_price_of_passing(enum aa_passing how);

#endif
