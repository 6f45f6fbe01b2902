#include "site.h"

#define STACK_ABOVE 65536 /* bytes of the main thread's stack above a constructor's frame, at most */

const char *aa_probe_stack;

static uint64_t **sites[AA_SITES];
static uint32_t open_sites;

__attribute__((constructor)) static void find_stack(void) {
    aa_probe_stack = (const char *)__builtin_frame_address(0) + STACK_ABOVE;
}

/* A signal handler that comes in between finds a site that is open, and not yet listed, where it stands
 * itself. */
void aa_site_open(struct aa_thread *thread, uint64_t **site, uint64_t *visits) {
    uint32_t open = open_sites;
    if (open == AA_SITES)
        return;
    __atomic_store_n(site, visits, __ATOMIC_RELAXED);
    aa_in_order();
    sites[open] = site;
    aa_in_order();
    open_sites = open + 1;
    thread->watch.armed |= AA_BAR_SITES;
}

void aa_sites_close_all(struct aa_thread *thread) {
    thread->watch.armed &= ~AA_BAR_SITES; /* first, as a signal handler may open another one meanwhile */
    aa_in_order();
    for (uint32_t i = 0; i < open_sites; i++)
        __atomic_store_n(sites[i], NULL, __ATOMIC_RELAXED);
    open_sites = 0;
}

void aa_sites_forget(void) {
    for (uint32_t i = 0; i < AA_SITES; i++) {
        if (sites[i])
            *sites[i] = NULL;
    }
    open_sites = 0;
}
