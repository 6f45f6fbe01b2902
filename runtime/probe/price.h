/* The cost of measuring, determined when the process starts. */
#ifndef AA_PRICE_H
#define AA_PRICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * An entry and exit of a region; the entry of a throttled one, which calls the library; the same where the
 * exit does so, too, or where the entry opens a site, which is closed then; a call of a library that is in a
 * region.
 */
enum aa_priced { AA_PAIR, AA_THROTTLED_PAIR, AA_LEFT_PAIR, AA_OPENED_PAIR, AA_CALL };

/* What events are, as probe.h has them: they stand above what measures them. */
struct aa_probes {
    const char *(*enter)(const char *descriptor);
    const char *(*enter_counted)(const char *descriptor, int64_t *site);
    void (*leave)(const char *descriptor);
    void (*leave_or_pass)(const char *descriptor);
    bool (*begin)(uint32_t share);
    void (*end)(bool outermost);
};

/* Say so before any price is asked for. */
void aa_price_these(const struct aa_probes *probes);

/* The cost, in ticks. */
double aa_price_of(enum aa_priced what);

/* The cost if the entry of a throttled region is only counted, by the region's own site, or in a slot. */
enum aa_passing { AA_IN_SITE, AA_IN_SLOT };
double aa_price_of_passing(enum aa_passing how);

#endif
