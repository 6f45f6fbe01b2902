/*
 * Where the main thread enters throttled regions without calling anybody: the program's stub finds a counter
 * in the site of the probe, and counts. Such sites are open while time goes to the node where the thread
 * stands, so that what enters the region from elsewhere is seen; and never in an object that may be unloaded.
 */
#ifndef AA_SITE_H
#define AA_SITE_H

#include "probe.h"
#include "self.h"

#define AA_SITES 16u

/* How many are open: in any other thread none. */
extern _Thread_local uint32_t aa_sites_open AA_INITIAL_EXEC;

void aa_site_open(uint64_t **site, uint64_t *visits);
void aa_sites_close_all(void);

static inline void aa_sites_close(void) {
    if (aa_unlikely(aa_sites_open))
        aa_sites_close_all();
}

/* In the child of a fork. */
void aa_sites_forget(void);

#endif
