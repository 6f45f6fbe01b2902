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
void aa_site_open(struct aa_thread *thread, int64_t *site, uint64_t *visits, bool in_slot);

/* Ends a site's counting; it need not be open. */
void aa_site_end(struct aa_thread *thread, const int64_t *site);

/*
 * A site that several regions of a Fortran program share: each has it for a while. Where a slot is passed as
 * a site, its address is odd. Claiming returns the site, or null if another region has it open.
 */
struct aa_slot {
    const char *key;
    int64_t left;
};

static inline int64_t *aa_slot_as_site(struct aa_slot *slot) {
    return (int64_t *)((uintptr_t)slot | 1);
}

static inline bool aa_is_slot(const int64_t *site) {
    return (uintptr_t)site & 1;
}

int64_t *aa_slot_claim(struct aa_thread *thread, const char *key, int64_t *slot);

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
