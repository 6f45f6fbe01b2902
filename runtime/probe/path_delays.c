/* Divides a wait among the call paths that caused it. */
#include <string.h>

#include "path_sums.h"

#define SLOTS 128 /* a power of two; enough for the call paths of two chains */

_Static_assert(SLOTS > 2 * AA_PATH_ENTRIES, "a free slot ends each search");

/* The work of two chains on a call path, over all ranks. */
struct both {
    uint32_t what;
    bool is_used;
    double mine, other;
};

static struct both *both_of(struct both *slots, uint32_t what) {
    uint32_t at = (what * 0x9e3779b9u >> 16) & (SLOTS - 1);
    while (slots[at].is_used && slots[at].what != what)
        at = (at + 1) & (SLOTS - 1);
    slots[at].what = what;
    slots[at].is_used = true;
    return &slots[at];
}

static void compare(const struct aa_path *mine, const struct aa_path *other, struct both *slots) {
    memset(slots, 0, SLOTS * sizeof *slots);
    for (uint32_t i = 0; i < mine->count; i++)
        both_of(slots, mine->entries[i].what)->mine += mine->entries[i].work;
    for (uint32_t i = 0; i < other->count; i++)
        both_of(slots, other->entries[i].what)->other += other->entries[i].work;
}

/* Returns an entry's share of the lead that its call path has in the other chain, over all ranks. */
static double lead(struct both *slots, const struct aa_path_entry *entry) {
    const struct both *both = both_of(slots, entry->what);
    double ahead = both->other - both->mine;
    return ahead > 0 ? ahead * entry->work / both->other : 0;
}

void aa_path_blame(const struct aa_path *mine, const struct aa_path *other, uint32_t waiting,
                   bool by_message) {
    struct aa_path_sums *delays = by_message ? &aa_path_message_delays : &aa_path_delays;
    double waited = other->length - mine->length, left = waited, ahead = 0, leads[AA_PATH_ENTRIES];
    struct both slots[SLOTS];
    compare(mine, other, slots);
    for (uint32_t i = 0; i < other->count; i++)
        ahead += leads[i] = lead(slots, &other->entries[i]);
    for (uint32_t i = 0; i < other->count; i++) {
        const struct aa_path_entry *entry = &other->entries[i];
        double fault = leads[i] * (ahead > waited ? waited / ahead : 1);
        if (fault > 0) {
            aa_path_add_to(delays,
                           &(struct aa_path_entry){
                               .rank = entry->rank, .node = entry->node, .what = waiting, .work = fault});
            left -= fault;
        }
    }
    if (left > waited * 1e-9)
        aa_path_add_to(delays,
                       &(struct aa_path_entry){.rank = AA_PATH_NOBODY, .what = waiting, .work = left});
}
