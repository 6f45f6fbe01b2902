/*
 * Sites: the places where the main thread enters throttled regions without a call. The probe's site
 * contains a number: of the next entries, that many are only counted, and the program's stub decrements it.
 * A site is open as long as time goes to the node from which the region was entered; when another node
 * becomes the current one, all sites are closed, so that entries from elsewhere call the library. Sites
 * never belong to objects that may be unloaded.
 */
#ifndef AA_SITE_H
#define AA_SITE_H

#include "probe.h"
#include "self.h"

/* the most sites that may be open at the same time */
#define AA_SITES 16u

/*
 * Opens a site of the main thread, the only one that has sites, unless too many are open. visits: the
 * node's visits, to which the counted entries are added. in_slot: whether the site is a slot of a Fortran
 * program.
 */
void aa_site_open(struct aa_thread *thread, int64_t *site, uint64_t *visits, bool in_slot);

/* Closes a site if it is open, and adds the counted entries to the visits. */
void aa_site_end(struct aa_thread *thread, const int64_t *site);

/*
 * A site that several regions of a Fortran program use, one after the other. In arguments for sites, a slot
 * has an odd address.
 */
struct aa_slot {
    const char *key;
    int64_t left;
};

/* Return a slot's address as that of a site, and whether a site's address is that of a slot. */
static inline int64_t *aa_slot_as_site(struct aa_slot *slot) {
    return (int64_t *)((uintptr_t)slot | 1);
}

static inline bool aa_is_slot(const int64_t *site) {
    return (uintptr_t)site & 1;
}

/*
 * Returns the site of a slot for the region with this key; null if another region has the slot open. Only
 * for the main thread.
 */
int64_t *aa_slot_claim(struct aa_thread *thread, const char *key, int64_t *slot);

/* Closes all sites, and adds the counted entries to the visits. */
void aa_sites_close_all(struct aa_thread *thread);

/* Returns whether the thread has open sites. */
static inline bool aa_has_open_sites(const struct aa_thread *thread) {
    return thread->watch.armed & AA_BAR_SITES;
}

static inline void aa_sites_close(struct aa_thread *thread) {
    if (aa_unlikely(aa_has_open_sites(thread)))
        aa_sites_close_all(thread);
}

/* Closes all sites without adding their entries, in the child of a fork: they belong to the parent. */
void aa_sites_forget(void);

#endif
