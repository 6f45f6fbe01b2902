#include "path_chain.h"

#include <string.h>

#include "path_sums.h"

static uint32_t my_rank(void) {
    return (uint32_t)aa_shard()->rank;
}

/* Insertion sort, because qsort takes four times as long for so few entries. */
static void put_most_work_first(struct aa_path *path) {
    for (uint32_t i = 1; i < path->count; i++) {
        struct aa_path_entry entry = path->entries[i];
        uint32_t at = i;
        for (; at > 0 && path->entries[at - 1].work < entry.work; at--)
            path->entries[at] = path->entries[at - 1];
        path->entries[at] = entry;
    }
}

/* Keeps the first entries, and combines all others in one entry that belongs to no rank. */
static void lose(struct aa_path *path, uint32_t kept) {
    struct aa_path_entry nobody = {.rank = AA_PATH_NOBODY};
    uint32_t count = 0;
    aa_shard()->path_lost += path->count - kept;
    for (uint32_t i = 0; i < path->count; i++) {
        if (i < kept && path->entries[i].rank != AA_PATH_NOBODY)
            path->entries[count++] = path->entries[i];
        else
            nobody.work += path->entries[i].work;
    }
    path->entries[count++] = nobody;
    path->count = count;
}

/* Moves the smallest entries to a segment; if there is no memory, they are lost. With more kept entries, the
 * causes of waits are known more precisely, but there are more segments. */
static void leave_behind(struct aa_path *path) {
    uint32_t kept = aa_path_has_many_records() ? path->count / 2 : path->count * 3 / 4;
    struct aa_path_record *segment = aa_path_append(AA_PATH_SEGMENT);
    put_most_work_first(path);
    if (!segment) {
        lose(path, kept);
        return;
    }
    segment->path = *path;
    segment->path.count = path->count - kept;
    memmove(segment->path.entries, path->entries + kept, segment->path.count * sizeof *path->entries);
    path->rank = my_rank();
    path->segment = segment->number;
    path->count = kept;
}

static uint32_t at_most(double visits) {
    return visits < UINT32_MAX ? (uint32_t)visits : UINT32_MAX;
}

void aa_chain_lengthen(void *to, uint32_t node, uint32_t what, uint64_t visits, double work) {
    struct aa_path *path = to;
    uint32_t rank = my_rank(), i = path->count;
    path->length += work;
    while (i > 0 && (path->entries[i - 1].rank != rank || path->entries[i - 1].node != node))
        i--;
    if (i > 0) {
        path->entries[i - 1].work += work;
        path->entries[i - 1].visits = at_most((double)path->entries[i - 1].visits + (double)visits);
        return;
    }
    if (path->count == AA_PATH_ENTRIES)
        leave_behind(path);
    path->entries[path->count++] = (struct aa_path_entry){
        .rank = rank, .node = node, .what = what, .visits = at_most((double)visits), .work = work};
}

void aa_chain_copy(struct aa_path *to, const struct aa_path *from) {
    memcpy(to, from, aa_path_size(from));
}

static const struct aa_path_entry *same_in(const struct aa_path *path, const struct aa_path_entry *of) {
    for (uint32_t i = 0; i < path->count; i++) {
        if (path->entries[i].rank == of->rank && path->entries[i].node == of->node)
            return &path->entries[i];
    }
    return NULL;
}

const struct aa_path aa_chain_of_nothing;

void aa_chain_start_again(struct aa_path *path, const struct aa_path *before, double length) {
    if (path->base >= length)
        return;
    double ahead = path->length - length, newer = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < path->count && ahead > 0; i++) {
        struct aa_path_entry entry = path->entries[i];
        const struct aa_path_entry *same = same_in(before, &entry);
        if (same) {
            entry.work -= same->work;
            entry.visits -= same->visits < entry.visits ? same->visits : entry.visits;
        }
        if (entry.work > 0) {
            newer += entry.work;
            path->entries[count++] = entry;
        }
    }
    if (ahead > 0 && count == 0 && before->count) {
        aa_chain_start_again(path, &aa_chain_of_nothing, length);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        path->entries[i].work *= ahead / newer;
        path->entries[i].visits = at_most(path->entries[i].visits * (ahead / newer) + 0.5);
    }
    path->length = length + (count ? ahead : 0);
    path->base = length;
    path->count = count;
    path->rank = path->segment = 0;
}
