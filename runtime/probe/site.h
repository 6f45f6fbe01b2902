/*
 * Sites: the places where the main thread enters throttled regions without a call. The probe's site contains
 * the number of further entries that are only counted; the program's stub decrements it. A site is open as
 * long as time goes to the node from which the region was entered. When another node becomes the current one,
 * all sites are closed, so that entries from other nodes call the library. Sites never belong to objects that
 * may be unloaded.
 */
#ifndef AA_SITE_H
#define AA_SITE_H

#include "probe.h"
#include "self.h"
#include "slots.h"
#include "tree.h"

/* maximum number of sites that are open at the same time */
#define AA_SITES 16u
/* of isolated entries, one in this many opens its site anyway, to test whether other entries follow by now */
#define AA_SITE_TRIAL 64u
/* opening and closing a site takes as long as two or three entries that call the library */
#define AA_SITE_PAYING 2

/*
 * Returns whether to open a site for the throttled child: the thread is the main thread, the only one with
 * sites, and further entries followed the last entry that opened the site.
 */
static inline bool aa_site_pays(const struct aa_thread *thread, const struct aa_node *child) {
    return aa_is_lasting(child) && thread->index == 0 &&
           (!aa_is_alone(child) || aa_throttled_node(child)->visits % AA_SITE_TRIAL == 0);
}

/*
 * Opens a site, unless too many are open. key, child: the region and its edge's child; the counted entries
 * are added to its visits.
 */
void aa_site_open(struct aa_thread *thread, int64_t *site, const char *key, struct aa_node *child);

/* Closes a site if it is open, and adds the counted entries to the visits. */
void aa_site_end(struct aa_thread *thread, const int64_t *site);

/* aa_slot_as_site converts a slot's address to a value that can replace a site's address; aa_is_slot returns
 * whether a site's address is such a value. */
static inline int64_t *aa_slot_as_site(struct aa_slot *slot) {
    return slot ? (int64_t *)((uintptr_t)slot | 1) : NULL;
}

static inline bool aa_is_slot(const int64_t *site) {
    return (uintptr_t)site & 1;
}

/* Fills a slot for entries of a throttled child of the main thread's current node. */
void aa_slot_fill(struct aa_thread *thread, int64_t *slot, const char *key, struct aa_node *child);

/* Begin and end the use of slots by the main thread. */
void aa_slots_begin(const struct aa_thread *thread);
void aa_slots_end(void);

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

/* Closes all sites in the child of a fork, without adding their entries, which belong to the parent. */
void aa_sites_forget(void);

#endif
