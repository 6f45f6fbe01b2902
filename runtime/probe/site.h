/*
 * Sites: where the main thread enters throttled regions without a call. The program's stub decrements a
 * number in the probe's site, the entries that are only counted. Sites are open while time goes to the
 * node from which the region was entered, so that entries from elsewhere are noticed; never in an object
 * that may be unloaded.
 */
#ifndef AA_SITE_H
#define AA_SITE_H

#include "probe.h"
#include "self.h"

#define AA_SITES 16u

/* Opens a site of the main thread; other threads have none. */
void aa_site_open(struct aa_thread *thread, int64_t *site, uint64_t *visits);

/* Ends a site's counting; it need not be open. */
void aa_site_end(const int64_t *site);

/* Closes all sites, and adds the entries counted there to the visits. */
void aa_sites_close_all(struct aa_thread *thread);

static inline bool aa_has_open_sites(const struct aa_thread *thread) {
    return thread->watch.armed & AA_BAR_SITES;
}

static inline void aa_sites_close(struct aa_thread *thread) {
    if (aa_unlikely(aa_has_open_sites(thread)))
        aa_sites_close_all(thread);
}

/* In the child of a fork. */
void aa_sites_forget(void);

#endif
