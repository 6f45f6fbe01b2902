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
void aa_site_open(struct aa_thread *thread, int64_t *site, uint64_t *visits, bool in_slot);

/* No entry is left there; perhaps it was never open. */
void aa_site_end(struct aa_thread *thread, const int64_t *site);

/*
 * A site that regions of a Fortran program share, each while it needs it. Its address is odd where it is
 * passed on as a site; the region that may open it gets a site, unless another one has it open.
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
