/*
 * Sites where the main thread enters throttled regions without a call: the program's stub decrements, in the
 * probe's site, the number of entries that are only counted. Such sites are open while time goes to the node
 * where the thread is, so that entries of the region from elsewhere are noticed; and never in an object that
 * may be unloaded.
 */
#ifndef AA_SITE_H
#define AA_SITE_H

#include "probe.h"
#include "self.h"

#define AA_SITES 16u

/* The thread is the main one; the others have none. */
void aa_site_open(struct aa_thread *thread, int64_t *site, uint64_t *visits);

/* No entry is left there; perhaps it was never open. */
void aa_site_end(const int64_t *site);

/* The entries counted there are added to the visits. */
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
