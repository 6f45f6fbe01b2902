#include "site.h"
#include "throttle.h"

/* bytes that the main thread's stack has at most above the frame of a constructor */
#define STACK_ABOVE 65536

/* In a cache line of its own, because all threads read it, and its neighbours are often written. */
const char *aa_probe_stack __attribute__((section(".aa_stack"), aligned(64)));
static char beside[64 - sizeof aa_probe_stack] __attribute__((section(".aa_stack"), used));

static struct {
    /* the probe's site: the number of entries still to be only counted; below 0 after the last one */
    int64_t *left;
    uint64_t *visits;
    int64_t given; /* the number that was stored there when it was opened; 0: it is closed */
    bool in_slot;
} sites[AA_SITES];
static uint32_t open_sites;

__attribute__((constructor)) static void find_stack(void) {
    aa_probe_stack = (const char *)__builtin_frame_address(0) + STACK_ABOVE;
}

/*
 * Closes a site, and adds the counted entries to the visits. Another site may be in this place by now, if a
 * signal handler has run meanwhile.
 */
static void close_site(struct aa_thread *thread, uint32_t i) {
    if (!sites[i].given)
        return;
    int64_t left = *sites[i].left;
    uint64_t counted = (uint64_t)(sites[i].given - (left > 0 ? left : 0));
    *sites[i].visits += counted;
    if (sites[i].in_slot)
        thread->slotted += counted;
    sites[i].given = 0;
    *sites[i].left = 0;
}

/*
 * A signal handler that interrupts this function may find the site open, but not yet listed; the handler's
 * entries are at another node.
 */
void aa_site_open(struct aa_thread *thread, int64_t *site, uint64_t *visits, bool in_slot) {
    uint32_t open = open_sites;
    int64_t given = AA_THROTTLE_PERIOD - 1 - (int64_t)(*visits % AA_THROTTLE_PERIOD);
    if (open == AA_SITES || given == 0)
        return;
    *site = given;
    sites[open].given = 0;
    aa_in_order();
    sites[open].left = site;
    sites[open].visits = visits;
    sites[open].in_slot = in_slot;
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

/* If the last region has used up its slot, its site is closed before the next region gets the slot. */
int64_t *aa_slot_claim(struct aa_thread *thread, const char *key, int64_t *site) {
    struct aa_slot *slot = (struct aa_slot *)((uintptr_t)site & ~(uintptr_t)1);
    if (thread->index != 0 || slot->left > 0)
        return NULL;
    aa_site_end(thread, &slot->left);
    slot->key = key;
    return &slot->left;
}

void aa_sites_close_all(struct aa_thread *thread) {
    /* first, because a signal handler may open another site meanwhile */
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
}
