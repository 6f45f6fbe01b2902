#define _GNU_SOURCE
#include "path.h"

#include <stdlib.h>
#include <string.h>

#include "self.h"
#include "work.h"

#define NOBODY UINT32_MAX
#define FIRST_SLOTS 256
#define MOST_RECORDS 65536u /* of a process, 29 MB: more chains than that are put together */

/* What a thread has: its chain stands in the shard, so that a killed process leaves it. */
struct holder {
    struct holder *next;
    const struct aa_thread *thread;
    struct aa_path *path;
    struct aa_work work;
};

static struct holder *_Atomic holders;
static _Thread_local struct holder *own AA_INITIAL_EXEC;
static _Atomic uint32_t records;

/* ---- records of the shard */

static struct aa_path_record *append(enum aa_path_kind kind) {
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

/* ---- sums that are kept: of the critical path, and of what was waited for */

struct sums {
    enum aa_path_kind kind;
    struct aa_path_entry **slots; /* open addressing */
    uint32_t capacity, count;
    struct aa_path_record *latest;
};

static struct sums totals = {.kind = AA_PATH_TOTAL}, delays = {.kind = AA_PATH_DELAY};
static _Atomic bool sums_locked;

static struct aa_path_entry **slot_of(const struct sums *sums, const struct aa_path_entry *entry) {
    uint32_t hash = (entry->rank * 0x9e3779b9u ^ entry->node) * 0x85ebca6bu ^
                    (2 * entry->what + entry->by_message) * 0xc2b2ae35u;
    uint32_t at = (hash ^ hash >> 15) & (sums->capacity - 1);
    for (; sums->slots[at]; at = (at + 1) & (sums->capacity - 1)) {
        const struct aa_path_entry *there = sums->slots[at];
        if (there->rank == entry->rank && there->node == entry->node && there->what == entry->what &&
            there->by_message == entry->by_message)
            break;
    }
    return &sums->slots[at];
}

static bool widen(struct sums *sums) {
    struct sums wider = *sums;
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

static struct aa_path_entry *new_sum(struct sums *sums, const struct aa_path_entry *entry) {
    if (!sums->latest || sums->latest->path.count == AA_PATH_ENTRIES) {
        struct aa_path_record *record = append(sums->kind);
        if (!record)
            return NULL;
        sums->latest = record;
    }
    struct aa_path *path = &sums->latest->path;
    struct aa_path_entry *sum = &path->entries[path->count];
    *sum = *entry;
    sum->work = 0;
    path->count++;
    sums->count++;
    return sum;
}

static void add_to(struct sums *sums, const struct aa_path_entry *entry) {
    if (2 * sums->count >= sums->capacity && !widen(sums)) {
        aa_shard()->path_lost++;
        return;
    }
    struct aa_path_entry **slot = slot_of(sums, entry);
    if (!*slot && !(*slot = new_sum(sums, entry))) {
        aa_shard()->path_lost++;
        return;
    }
    (*slot)->work += entry->work;
}

static struct aa_section lock_sums(void) {
    struct aa_section section = aa_section_begin();
    while (atomic_exchange_explicit(&sums_locked, true, memory_order_acquire))
        ;
    return section;
}

static void unlock_sums(struct aa_section section) {
    atomic_store_explicit(&sums_locked, false, memory_order_release);
    aa_section_end(section);
}

/* ---- a chain */

static uint32_t my_rank(void) {
    return (uint32_t)aa_shard()->rank;
}

static int by_work(const void *one, const void *other) {
    double first = ((const struct aa_path_entry *)one)->work,
           second = ((const struct aa_path_entry *)other)->work;
    return (first < second) - (first > second);
}

/* The smaller half, for which there is no room, goes into a segment; without memory it is work of nobody. */
static void leave_behind(struct aa_path *path) {
    uint32_t kept = path->count / 2;
    struct aa_path_record *segment = append(AA_PATH_SEGMENT);
    qsort(path->entries, path->count, sizeof *path->entries, by_work);
    if (segment) {
        segment->path = *path;
        segment->path.count = path->count - kept;
        memmove(segment->path.entries, path->entries + kept, segment->path.count * sizeof *path->entries);
        path->rank = my_rank();
        path->segment = segment->number;
    } else {
        double work = 0;
        for (uint32_t i = kept; i < path->count; i++)
            work += path->entries[i].work;
        aa_shard()->path_lost += path->count - kept;
        path->entries[kept++] = (struct aa_path_entry){.rank = NOBODY, .work = work};
    }
    path->count = kept;
}

static void lengthen(void *to, uint32_t node, uint32_t what, double work) {
    struct aa_path *path = to;
    uint32_t rank = my_rank(), i = path->count;
    path->length += work;
    while (i > 0 && (path->entries[i - 1].rank != rank || path->entries[i - 1].node != node))
        i--;
    if (i > 0) {
        path->entries[i - 1].work += work;
        return;
    }
    if (path->count == AA_PATH_ENTRIES)
        leave_behind(path);
    path->entries[path->count++] =
        (struct aa_path_entry){.rank = rank, .node = node, .what = what, .work = work};
}

static void copy(struct aa_path *to, const struct aa_path *from) {
    memcpy(to, from, aa_path_size(from));
}

/* ---- whose it is */

static struct aa_path *longest_of_process(void) {
    struct aa_path *longest = NULL;
    for (struct holder *each = holders; each; each = each->next) {
        if (!longest || each->path->length > longest->length)
            longest = each->path;
    }
    return longest;
}

/* A thread begins with the longest chain that its process has, as somebody has made it. */
static struct holder *begin(const struct aa_thread *thread) {
    struct holder *holder = aa_memory_map(sizeof *holder);
    struct aa_path_record *record = holder ? append(AA_PATH_CHAIN) : NULL;
    if (!record)
        return NULL;
    holder->thread = thread;
    holder->path = &record->path;
    if (holders)
        copy(holder->path, longest_of_process());
    holder->next = holders;
    while (!atomic_compare_exchange_weak(&holders, &holder->next, holder))
        ;
    return holder;
}

const struct aa_path *aa_path_here(void) {
    const struct aa_thread *thread = aa_thread_self;
    if (!thread || aa_thread_closed)
        return NULL;
    struct aa_section section = aa_section_begin();
    if (!own || own->thread != thread)
        own = begin(thread);
    if (own)
        aa_work_look(&own->work, thread, lengthen, own->path);
    aa_section_end(section);
    return own ? own->path : NULL;
}

/* ---- teams of threads */

#define MOST_NODES 64 /* of a thread in a parallel region, that are told apart */

/* What a thread has worked in a team. */
struct share {
    double work;
    uint32_t count;
    struct {
        uint32_t node, what;
        double work;
    } parts[MOST_NODES];
};

static struct {
    struct aa_work *of;
    uint32_t capacity;
} members; /* by the number of their trees */

static struct aa_work *work_of_member(const struct aa_thread *thread) {
    if (thread->index >= members.capacity) {
        uint32_t capacity = 2 * thread->index + 16;
        struct aa_work *wider = aa_memory_map(capacity * sizeof *wider);
        if (!wider)
            return NULL;
        if (members.capacity) {
            memcpy(wider, members.of, members.capacity * sizeof *wider);
            aa_memory_unmap(members.of, members.capacity * sizeof *wider);
        }
        members.of = wider;
        members.capacity = capacity;
    }
    return &members.of[thread->index];
}

static void put_down(void *to, uint32_t node, uint32_t what, double work) {
    struct share *share = to;
    share->work += work;
    uint32_t place = share->count < MOST_NODES ? share->count++ : MOST_NODES - 1;
    share->parts[place].node = node;
    share->parts[place].what = what;
    share->parts[place].work += work;
}

bool aa_path_is_followed(void) {
    return own && own->thread == aa_thread_self;
}

void aa_path_team_closed(struct aa_thread *const *team, uint32_t count) {
    if (!own || own->thread != aa_thread_self || aa_thread_closed)
        return;
    struct aa_section section = aa_section_begin();
    struct share shares[2], *longest = &shares[0], *next = &shares[1];
    memset(shares, 0, sizeof shares);
    aa_work_look(&own->work, own->thread, put_down, longest);
    for (uint32_t i = 0; i < count; i++) {
        struct aa_work *work = team[i] ? work_of_member(team[i]) : NULL;
        if (!work)
            continue;
        memset(next, 0, sizeof *next);
        aa_work_look(work, team[i], put_down, next);
        if (next->work > longest->work) {
            struct share *kept = longest;
            longest = next;
            next = kept;
        }
    }
    for (uint32_t i = 0; i < longest->count; i++)
        lengthen(own->path, longest->parts[i].node, longest->parts[i].what, longest->parts[i].work);
    aa_section_end(section);
}

/* ---- whose fault a wait is */

static double work_of(const struct aa_path *path, uint32_t what) {
    double work = 0;
    for (uint32_t i = 0; i < path->count; i++)
        work += path->entries[i].what == what ? path->entries[i].work : 0;
    return work;
}

/* By how much a call path of the other chain is ahead of the same one of this chain. */
static double lead(const struct aa_path *other, uint32_t what, const struct aa_path *mine) {
    double ahead = work_of(other, what) - work_of(mine, what);
    return ahead > 0 ? ahead : 0;
}

static void blame(const struct aa_path *mine, const struct aa_path *other, uint32_t waiting,
                  bool by_message) {
    double waited = other->length - mine->length, ahead = 0;
    for (uint32_t i = 0; i < other->count; i++) {
        const struct aa_path_entry *entry = &other->entries[i];
        double all = work_of(other, entry->what);
        if (all > 0)
            ahead += lead(other, entry->what, mine) * entry->work / all;
    }
    struct aa_section section = lock_sums();
    double left = waited;
    for (uint32_t i = 0; i < other->count && ahead > 0; i++) {
        const struct aa_path_entry *entry = &other->entries[i];
        double all = work_of(other, entry->what);
        double share = all > 0 ? lead(other, entry->what, mine) * entry->work / all : 0;
        double fault = share * (ahead > waited ? waited / ahead : 1);
        if (fault > 0) {
            add_to(&delays, &(struct aa_path_entry){entry->rank, entry->node, waiting, by_message, fault});
            left -= fault;
        }
    }
    if (left > waited * 1e-9)
        add_to(&delays, &(struct aa_path_entry){NOBODY, 0, waiting, by_message, left});
    unlock_sums(section);
}

static void join(const struct aa_path *other, bool by_message) {
    const struct aa_path *mine = aa_path_here();
    if (!mine || other->length <= mine->length)
        return;
    const char *waiting = (const char *)aa_thread_self->current, *start = (const char *)aa_shard();
    blame(mine, other, (uint32_t)((waiting - start) / AA_SHARD_ALIGNMENT), by_message);
    copy(own->path, other);
}

void aa_path_join(const struct aa_path *other) {
    join(other, false);
}

void aa_path_join_sender(const struct aa_path *other) {
    join(other, true);
}

void aa_path_meet(const struct aa_path *longest, bool mine) {
    if (!aa_path_here())
        return;
    aa_path_join(longest);
    if (mine) {
        struct aa_section section = lock_sums();
        for (uint32_t i = 0; i < longest->count; i++)
            add_to(&totals, &longest->entries[i]);
        if (longest->segment)
            add_to(&totals, &(struct aa_path_entry){.rank = longest->rank, .what = longest->segment});
        unlock_sums(section);
    }
    for (struct holder *each = holders; each; each = each->next) {
        each->path->length = longest->length;
        each->path->count = each->path->rank = each->path->segment = 0;
    }
}

void aa_path_gather_threads(void) {
    struct aa_path *longest = own ? longest_of_process() : NULL;
    if (longest && longest != own->path && longest->length > own->path->length)
        copy(own->path, longest);
}

void aa_path_finish(void) {
    if (aa_path_is_followed())
        aa_path_here();
}
