#include "site.h"
#include "throttle.h"

static struct {
    /* the probe's site: the number of further entries that are only counted; below 0 after the last one */
    int64_t *left;
    struct aa_node *from, *child; /* the edge from the current node; the child has its flags */
    const char *key;
    int64_t given; /* the number that was stored in the site when it was opened; 0: it is closed */
} sites[AA_SITES];
static uint32_t open_sites;

/*
 * Closes a site, and adds the counted entries to the visits. If a signal handler has run in the meantime,
 * this entry may belong to another site.
 */
static void close_site(struct aa_thread *thread, uint32_t i) {
    if (!sites[i].given)
        return;
    int64_t left = *sites[i].left;
    uint64_t counted = (uint64_t)(sites[i].given - (left > 0 ? left : 0));
    aa_throttled_node(sites[i].child)->visits += counted;
    thread->silent += counted;
    sites[i].given = 0;
    *sites[i].left = 0;
    bool alone = counted < AA_SITE_PAYING;
    if (aa_unlikely(alone != aa_is_alone(sites[i].child)))
        aa_tree_mark_alone(thread, sites[i].from, sites[i].key, alone);
}

/*
 * A signal handler that interrupts this function may find the site open but not yet listed. This is harmless,
 * because the handler's entries are at another node.
 */
void aa_site_open(struct aa_thread *thread, int64_t *site, const char *key, struct aa_node *child) {
    uint32_t open = open_sites;
    uint64_t visits = aa_throttled_node(child)->visits;
    int64_t given = AA_THROTTLE_PERIOD - 1 - (int64_t)(visits % AA_THROTTLE_PERIOD);
    if (open == AA_SITES || given == 0)
        return;
    *site = given;
    sites[open].given = 0;
    aa_in_order();
    sites[open].left = site;
    sites[open].from = thread->current;
    sites[open].child = child;
    sites[open].key = key;
    aa_in_order();
    sites[open].given = given;
    aa_in_order();
    open_sites = open + 1;
    thread->opened++;
    thread->watch.armed |= AA_BAR_SITES;
}

void aa_site_end(struct aa_thread *thread, const int64_t *site) {
    for (uint32_t i = 0; i < open_sites; i++) {
        if (sites[i].left == site)
            close_site(thread, i);
    }
}

/* The key is cleared first and written last, because a signal handler may use the slot. If the generation has
 * changed, the visits may include entries that called the library. */
void aa_slot_fill(struct aa_thread *thread, int64_t *site, const char *key, struct aa_node *child) {
    struct aa_slot *slot = (struct aa_slot *)((uintptr_t)site & ~(uintptr_t)1);
    uint32_t generation = __atomic_load_n(&aa_probe_main.generation, __ATOMIC_ACQUIRE);
    if (!aa_is_lasting(child) || thread->index != 0 ||
        aa_tree_edge(thread, thread->current, key)->child != child)
        return;
    slot->key = NULL;
    aa_in_order();
    if (slot->visits && slot->generation == generation && aa_tree_is_ours(slot->visits))
        thread->slotted += (uint32_t)*slot->visits - slot->since;
    slot->from = thread->current;
    slot->visits = &aa_throttled_node(child)->visits;
    slot->since = (uint32_t)*slot->visits;
    slot->generation = generation;
    aa_in_order();
    slot->key = key;
}

void aa_slots_begin(const struct aa_thread *thread) {
    aa_probe_main.place = (const struct aa_place *)&thread->current;
    aa_probe_main.stack = aa_probe_stack;
}

void aa_slots_end(void) {
    aa_probe_main.stack = NULL;
}

void aa_sites_close_all(struct aa_thread *thread) {
    /* cleared first, because a signal handler may open another site in the meantime */
    thread->watch.armed &= ~AA_BAR_SITES;
    aa_in_order();
    for (uint32_t i = 0; i < open_sites; i++)
        close_site(thread, i);
    open_sites = 0;
}

void aa_sites_forget(void) {
    for (uint32_t i = 0; i < AA_SITES; i++) {
        if (sites[i].given)
            *sites[i].left = 0;
        sites[i].given = 0;
    }
    open_sites = 0;
    aa_slots_end();
    aa_slots_forget();
}
