#define _GNU_SOURCE
#include "path_sums.h"
#include "memory.h"

#define FIRST_SLOTS 256
#define MOST_RECORDS 32768u /* maximum number of records per process, which take 34 MB */

static _Atomic uint32_t records;

bool aa_path_has_many_records(void) {
    return records >= MOST_RECORDS / 2;
}

struct aa_path_record *aa_path_append(enum aa_path_kind kind) {
    if (atomic_fetch_add(&records, 1) >= MOST_RECORDS)
        return NULL;
    aa_shard_lock();
    struct aa_path_record *record = aa_shard_append(AA_RECORD_PATH, sizeof *record);
    if (record) {
        record->kind = kind;
        record->number = (uint32_t)(((char *)record - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
        aa_shard_publish();
    }
    aa_shard_unlock();
    return record;
}

static struct aa_path_sums totals = {.kind = AA_PATH_TOTAL};
struct aa_path_sums aa_path_delays = {.kind = AA_PATH_DELAY};
struct aa_path_sums aa_path_message_delays = {.kind = AA_PATH_MESSAGE_DELAY};
struct aa_path_sums aa_path_teams = {.kind = AA_PATH_TEAM};

void aa_path_sums_forget(void) {
    records = 0;
    totals = (struct aa_path_sums){.kind = AA_PATH_TOTAL};
    aa_path_delays = (struct aa_path_sums){.kind = AA_PATH_DELAY};
    aa_path_message_delays = (struct aa_path_sums){.kind = AA_PATH_MESSAGE_DELAY};
    aa_path_teams = (struct aa_path_sums){.kind = AA_PATH_TEAM};
}

static struct aa_path_entry **slot_of(const struct aa_path_sums *sums, const struct aa_path_entry *entry) {
    uint32_t hash = (entry->rank * 0x9e3779b9u ^ entry->node) * 0x85ebca6bu ^ entry->what * 0xc2b2ae35u;
    uint32_t at = (hash ^ hash >> 15) & (sums->capacity - 1);
    for (; sums->slots[at]; at = (at + 1) & (sums->capacity - 1)) {
        const struct aa_path_entry *there = sums->slots[at];
        if (there->rank == entry->rank && there->node == entry->node && there->what == entry->what)
            break;
    }
    return &sums->slots[at];
}

static bool widen(struct aa_path_sums *sums) {
    struct aa_path_sums wider = *sums;
    wider.capacity = sums->capacity ? 2 * sums->capacity : FIRST_SLOTS;
    wider.slots = aa_memory_map(wider.capacity * sizeof(struct aa_path_entry *));
    if (!wider.slots)
        return false;
    for (uint32_t i = 0; i < sums->capacity; i++) {
        if (sums->slots[i])
            *slot_of(&wider, sums->slots[i]) = sums->slots[i];
    }
    if (sums->capacity)
        aa_memory_unmap(sums->slots, sums->capacity * sizeof(struct aa_path_entry *));
    *sums = wider;
    return true;
}

static struct aa_path_entry *new_sum(struct aa_path_sums *sums, const struct aa_path_entry *entry) {
    if (!sums->latest || sums->latest->path.count == AA_PATH_ENTRIES) {
        struct aa_path_record *record = aa_path_append(sums->kind);
        if (!record)
            return NULL;
        sums->latest = record;
    }
    struct aa_path *path = &sums->latest->path;
    struct aa_path_entry *sum = &path->entries[path->count];
    *sum = *entry;
    sum->visits = 0;
    sum->work = 0;
    path->count++;
    sums->count++;
    return sum;
}

void aa_path_add_to(struct aa_path_sums *sums, const struct aa_path_entry *entry) {
    if (2 * sums->count >= sums->capacity && !widen(sums)) {
        aa_shard()->path_lost++;
        return;
    }
    struct aa_path_entry **slot = slot_of(sums, entry), *sum = *slot;
    if (!sum ||
        sum->visits > UINT32_MAX - entry->visits) /* the reader of the shard adds up all sums for one place */
        sum = new_sum(sums, entry);
    if (!sum) {
        aa_shard()->path_lost++;
        return;
    }
    sum->visits += entry->visits;
    sum->work += entry->work;
    *slot = sum;
}

void aa_path_keep(const struct aa_path *path) {
    for (uint32_t i = 0; i < path->count; i++)
        aa_path_add_to(&totals, &path->entries[i]);
    if (path->segment)
        aa_path_add_to(&totals, &(struct aa_path_entry){.rank = path->rank, .what = path->segment});
}
