#define _GNU_SOURCE
#include "path_share.h"

#include <string.h>

#include "memory.h"
#include "path_chain.h"

#define FIRST_CAPACITY 64

void aa_path_share_clear(struct aa_path_share *share) {
    share->work = 0;
    share->count = 0;
}

void aa_path_share_swap(struct aa_path_share *one, struct aa_path_share *other) {
    struct aa_path_share kept = *one;
    *one = *other;
    *other = kept;
}

static bool has_room(struct aa_path_share *share) {
    if (share->count < share->capacity)
        return true;
    uint32_t capacity = share->capacity ? 2 * share->capacity : FIRST_CAPACITY;
    struct aa_path_share_part *wider = aa_memory_map(capacity * sizeof *wider);
    if (!wider)
        return false;
    if (share->capacity) {
        memcpy(wider, share->parts, share->count * sizeof *wider);
        aa_memory_unmap(share->parts, share->capacity * sizeof *wider);
    }
    share->parts = wider;
    share->capacity = capacity;
    return true;
}

void aa_path_share_add(void *to, uint32_t node, uint32_t what, uint64_t visits, double work) {
    struct aa_path_share *share = to;
    if (has_room(share)) {
        share->parts[share->count++] =
            (struct aa_path_share_part){.node = node, .what = what, .visits = visits, .work = work};
    } else {
        aa_shard()->path_lost++;
        if (!share->count)
            return;
        share->parts[share->count - 1].work += work;
    }
    share->work += work;
}

void aa_path_share_lengthen(const struct aa_path_share *share, double part, struct aa_path *path) {
    for (uint32_t i = 0; i < share->count; i++)
        aa_chain_lengthen(path, share->parts[i].node, share->parts[i].what,
                          (uint64_t)((double)share->parts[i].visits * part + 0.5),
                          share->parts[i].work * part);
}

void aa_path_share_of_team(const struct aa_path_share *share, double part) {
    for (uint32_t i = 0; i < share->count; i++)
        aa_path_add_to(&aa_path_teams, &(struct aa_path_entry){.rank = (uint32_t)aa_shard()->rank,
                                                               .node = share->parts[i].node,
                                                               .what = share->parts[i].what,
                                                               .work = share->parts[i].work * part});
}
