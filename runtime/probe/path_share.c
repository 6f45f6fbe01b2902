#define _GNU_SOURCE
#include "path_share.h"

#include "path_chain.h"

void aa_path_share_add(void *to, uint32_t node, uint32_t what, uint64_t visits, double work) {
    struct aa_path_share *share = to;
    bool has_room = share->count < AA_PATH_SHARE_NODES;
    uint32_t place = has_room ? share->count++ : AA_PATH_SHARE_NODES - 1;
    share->work += work;
    share->parts[place].node = node;
    share->parts[place].what = what;
    share->parts[place].visits = has_room ? visits : 0;
    share->parts[place].work += work;
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
