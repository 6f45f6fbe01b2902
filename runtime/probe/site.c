#include "site.h"
#include "throttle.h"

#define STACK_ABOVE 65536 /* the most bytes of the main thread's stack above a constructor's frame */

const char *aa_probe_stack;

static struct {
    int64_t *left; /* the probe's site: entries that are still only counted; below 0 after the last one */
    uint64_t *visits;
    int64_t given; /* the number that was stored there; 0: closed */
} sites[AA_SITES];
static uint32_t open_sites;

__attribute__((constructor)) static void find_stack(void) {
    aa_probe_stack = (const char *)__builtin_frame_address(0) + STACK_ABOVE;
}

/*
 * Adds the entries that were counted to the visits. The place may hold another site by now, if a signal
 * handler came between.
 */
static void close_site(uint32_t i) {
    if (!sites[i].given)
        return;
    int64_t left = *sites[i].left;
    *sites[i].visits += (uint64_t)(sites[i].given - (left > 0 ? left : 0));
    sites[i].given = 0;
    *sites[i].left = 0;
}

/*
 * A signal handler that interrupts here finds a site that is open but not yet listed, at the handler's own
 * node.
 */
void aa_site_open(struct aa_thread *thread, int64_t *site, uint64_t *visits) {
    uint32_t open = open_sites;
    int64_t given = AA_THROTTLE_PERIOD - 1 - (int64_t)(*visits % AA_THROTTLE_PERIOD);
    if (open == AA_SITES || given == 0)
        return;
    *site = given;
    sites[open].given = 0;
    aa_in_order();
    sites[open].left = site;
    sites[open].visits = visits;
    aa_in_order();
    sites[open].given = given;
    aa_in_order();
    open_sites = open + 1;
    thread->opened++;
    thread->watch.armed |= AA_BAR_SITES;
}

void aa_site_end(const int64_t *site) {
    for (uint32_t i = 0; i < open_sites; i++) {
        if (sites[i].left == site)
            close_site(i);
    }
}

void aa_sites_close_all(struct aa_thread *thread) {
    thread->watch.armed &= ~AA_BAR_SITES; /* first, because a signal handler may open another one meanwhile */
    aa_in_order();
    for (uint32_t i = 0; i < open_sites; i++)
        close_site(i);
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
