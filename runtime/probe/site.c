#include "site.h"

#define STACK_ABOVE 65536 /* bytes of the main thread's stack above a constructor's frame, at most */

_Thread_local uint32_t aa_sites_open AA_INITIAL_EXEC;
const char *aa_probe_stack;

static uint64_t **sites[AA_SITES];

__attribute__((constructor)) static void find_stack(void) {
    aa_probe_stack = (const char *)__builtin_frame_address(0) + STACK_ABOVE;
}

/* A signal handler that comes in between finds a site that is open, and not yet listed, where it stands
 * itself. */
void aa_site_open(uint64_t **site, uint64_t *visits) {
    uint32_t open = aa_sites_open;
    if (open == AA_SITES)
        return;
    __atomic_store_n(site, visits, __ATOMIC_RELAXED);
    aa_in_order();
    sites[open] = site;
    aa_in_order();
    aa_sites_open = open + 1;
}

void aa_sites_close_all(void) {
    for (uint32_t i = 0; i < aa_sites_open; i++)
        __atomic_store_n(sites[i], NULL, __ATOMIC_RELAXED);
    aa_sites_open = 0;
}

void aa_sites_forget(void) {
    for (uint32_t i = 0; i < AA_SITES; i++) {
        if (sites[i])
            *sites[i] = NULL;
    }
    aa_sites_open = 0;
}
