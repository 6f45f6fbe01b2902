#define _GNU_SOURCE
#include "path.h"

#include <pthread.h>
#include <string.h>

#include "memory.h"
#include "path_sums.h"
#include "self.h"
#include "work.h"

/* The cost of following: ticks, and the number of steps, one per node or entry. */
struct effort {
    _Atomic uint64_t ticks; /* which the thread alone changes */
    uint64_t steps;
};

/* A thread's chain; it is in the shard, so that a killed process leaves it there. Other threads change it. */
struct holder {
    struct holder *next;
    const struct aa_thread *thread;
    struct aa_path *path;
    struct aa_path before; /* the chain when threads were last gathered */
    struct aa_path joined; /* the latest that the thread has waited for */
    struct aa_work work;
    struct effort effort;
};

static struct holder *_Atomic holders;
static _Thread_local struct holder *own AA_INITIAL_EXEC;

/* ---- one thread after the other: for chains, what threads work, and all sums */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local uint64_t waited AA_INITIAL_EXEC; /* ticks, for the lock */

static struct aa_section lock(void) {
    struct aa_section section = aa_section_begin();
    if (pthread_mutex_trylock(&mutex) != 0) {
        uint64_t since = aa_clock_ticks();
        pthread_mutex_lock(&mutex);
        waited += aa_clock_ticks() - since;
    }
    return section;
}

static void unlock(struct aa_section section) {
    pthread_mutex_unlock(&mutex);
    aa_section_end(section);
}

/* ---- a chain */

static uint32_t my_rank(void) {
    return (uint32_t)aa_shard()->rank;
}

/* There are few: the library's sorting takes four times as long. */
static void put_most_work_first(struct aa_path *path) {
    for (uint32_t i = 1; i < path->count; i++) {
        struct aa_path_entry entry = path->entries[i];
        uint32_t at = i;
        for (; at > 0 && path->entries[at - 1].work < entry.work; at--)
            path->entries[at] = path->entries[at - 1];
        path->entries[at] = entry;
    }
}

/* The smallest entries, for which there is no room, go into a segment; without memory they are work of
 * nobody. The more are kept, the better is known whose fault a wait is, and the more segments there are. */
static void leave_behind(struct aa_path *path) {
    uint32_t kept = aa_path_has_many_records() ? path->count / 2 : path->count * 3 / 4;
    struct aa_path_record *segment = aa_path_append(AA_PATH_SEGMENT);
    put_most_work_first(path);
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
        path->entries[kept++] = (struct aa_path_entry){.rank = AA_PATH_NOBODY, .work = work};
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

static double work_in(const struct aa_path *path, const struct aa_path_entry *of) {
    for (uint32_t i = 0; i < path->count; i++) {
        if (path->entries[i].rank == of->rank && path->entries[i].node == of->node)
            return path->entries[i].work;
    }
    return 0;
}

static const struct aa_path nothing;

/* Start a chain again from a length that all have met at, unless it has. If its thread went on meanwhile and
 * is ahead of it, the chain keeps so much of what it has worked since it was as before; of all, if that is
 * nothing. */
static void start_again(struct aa_path *path, const struct aa_path *before, double length) {
    if (path->base >= length)
        return;
    double ahead = path->length - length, newer = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < path->count && ahead > 0; i++) {
        struct aa_path_entry entry = path->entries[i];
        entry.work -= work_in(before, &entry);
        if (entry.work > 0) {
            newer += entry.work;
            path->entries[count++] = entry;
        }
    }
    if (ahead > 0 && count == 0 && before->count) {
        start_again(path, &nothing, length);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        path->entries[i].work *= ahead / newer;
    path->length = length + (count ? ahead : 0);
    path->base = length;
    path->count = count;
    path->rank = path->segment = 0;
}

/* ---- what it takes */

#define INTERRUPTED 16u /* times what so many steps usually take: the thread was off the processor */
#define SHORTEST 2e4    /* nanoseconds that are no interruption, as nothing is usual yet */

/* Ticks, but those that the thread waited for the lock. */
static uint64_t ticks_at_work(void) {
    return aa_clock_ticks() - waited;
}

static void add_effort(struct effort *effort, uint64_t since, uint32_t steps) {
    uint64_t took = ticks_at_work() - since, shortest = (uint64_t)(SHORTEST * aa_clock_rate());
    uint64_t usual = effort->steps ? effort->ticks / effort->steps * steps : 0;
    if (took > INTERRUPTED * usual + shortest)
        took = effort->steps ? usual : shortest;
    atomic_store_explicit(&effort->ticks, effort->ticks + took, memory_order_relaxed);
    effort->steps += steps;
}

uint64_t aa_path_taken(void) {
    uint64_t ticks = 0;
    for (struct holder *each = holders; each; each = each->next)
        ticks += each->effort.ticks;
    return ticks;
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

/* A thread that gets the tree of one that has ended gets its chain, too, which has what the tree worked. */
static struct holder *holder_of(const struct aa_thread *thread) {
    struct holder *holder = holders;
    while (holder && holder->thread != thread)
        holder = holder->next;
    if (holder)
        return holder;
    holder = aa_memory_map(sizeof *holder);
    struct aa_path_record *record = holder ? aa_path_append(AA_PATH_CHAIN) : NULL;
    if (holder && !record)
        aa_memory_unmap(holder, sizeof *holder);
    if (!record)
        return NULL;
    holder->thread = thread;
    holder->path = &record->path;
    holder->next = holders;
    holders = holder;
    return holder;
}

/* A thread begins with the longest chain that its process has, as somebody has made it, if that is longer
 * than what it has worked itself, which may have been at the same time. */
static struct holder *begin(const struct aa_thread *thread, uint32_t *steps) {
    const struct aa_path *longest = longest_of_process();
    struct holder *holder = holder_of(thread);
    if (!holder)
        return NULL;
    *steps += aa_work_look(&holder->work, thread, lengthen, holder->path);
    if (longest && longest->length > holder->path->length)
        copy(holder->path, longest);
    else if (longest)
        start_again(holder->path, &nothing, longest->base);
    copy(&holder->before, holder->path);
    return holder;
}

/* The calling thread's chain, with its work until now, in so many steps; the lock is the caller's then. Null,
 * and no lock: it has none. */
static struct aa_path *take(struct aa_section *section, uint32_t *steps) {
    const struct aa_thread *thread = aa_thread_self;
    if (!thread || aa_thread_closed)
        return NULL;
    *section = lock();
    *steps = 1;
    if (!own || own->thread != thread)
        own = begin(thread, steps);
    if (!own) {
        unlock(*section);
        return NULL;
    }
    *steps += aa_work_look(&own->work, thread, lengthen, own->path);
    return own->path;
}

bool aa_path_here(struct aa_path *to) {
    uint64_t since = ticks_at_work();
    struct aa_section section;
    uint32_t steps;
    const struct aa_path *path = take(&section, &steps);
    if (!path)
        return false;
    if (to)
        copy(to, path);
    unlock(section);
    add_effort(&own->effort, since, steps);
    return true;
}

bool aa_path_is_followed(void) {
    return own && own->thread == aa_thread_self;
}

uint64_t aa_path_effort_begins(void) {
    return ticks_at_work() - (own ? own->effort.ticks : 0);
}

void aa_path_effort_ends(uint64_t start, uint32_t steps) {
    if (aa_path_is_followed())
        add_effort(&own->effort, start + own->effort.ticks, steps);
}

/* ---- teams of threads */

#define MOST_NODES 64 /* of a thread in a parallel region, that are told apart */

/* A thread's work in a team. */
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

void aa_path_team_closed(struct aa_thread *const *team, uint32_t count) {
    if (!own || own->thread != aa_thread_self || aa_thread_closed)
        return;
    uint64_t since = ticks_at_work();
    struct aa_section section = lock();
    struct share shares[2], *longest = &shares[0], *next = &shares[1];
    memset(shares, 0, sizeof shares);
    uint32_t steps = 1 + aa_work_look(&own->work, own->thread, put_down, longest);
    for (uint32_t i = 0; i < count; i++) {
        struct aa_work *work = team[i] ? work_of_member(team[i]) : NULL;
        if (!work)
            continue;
        memset(next, 0, sizeof *next);
        steps += aa_work_look(work, team[i], put_down, next);
        if (next->work > longest->work) {
            struct share *kept = longest;
            longest = next;
            next = kept;
        }
    }
    for (uint32_t i = 0; i < longest->count; i++)
        lengthen(own->path, longest->parts[i].node, longest->parts[i].what, longest->parts[i].work);
    unlock(section);
    add_effort(&own->effort, since, steps);
}

/* ---- meeting others */

/* The other chain may have been sent before all met, by a thread that was ahead of them. */
static void join(const struct aa_path *other, bool by_message) {
    if (other->length <= own->path->length)
        return;
    const char *waiting = (const char *)aa_thread_self->current, *start = (const char *)aa_shard();
    copy(&own->joined, other);
    start_again(&own->joined, &nothing, own->path->base);
    aa_path_blame(own->path, &own->joined, (uint32_t)((waiting - start) / AA_SHARD_ALIGNMENT), by_message);
    copy(own->path, &own->joined);
}

static void come_up_and_join(const struct aa_path *other, bool by_message) {
    uint64_t since = ticks_at_work();
    struct aa_section section;
    uint32_t steps;
    if (!take(&section, &steps))
        return;
    join(other, by_message);
    unlock(section);
    add_effort(&own->effort, since, steps + other->count);
}

void aa_path_join(const struct aa_path *other) {
    come_up_and_join(other, false);
}

void aa_path_join_sender(const struct aa_path *other) {
    come_up_and_join(other, true);
}

void aa_path_meet(const struct aa_path *longest, bool mine) {
    uint64_t since = ticks_at_work();
    if (!aa_path_is_followed() || aa_thread_closed)
        return;
    struct aa_section section = lock();
    join(longest, false);
    if (mine)
        aa_path_keep(longest);
    for (struct holder *each = holders; each; each = each->next)
        start_again(each->path, &each->before, longest->length);
    unlock(section);
    add_effort(&own->effort, since, 1 + longest->count);
}

void aa_path_gather_threads(void) {
    if (aa_thread_closed)
        return;
    struct aa_section section = lock();
    const struct aa_path *longest = aa_path_is_followed() ? longest_of_process() : NULL;
    for (struct holder *each = holders; each; each = each->next) {
        if (each != own)
            copy(&each->before, each->path);
    }
    if (longest && longest != own->path && longest->length > own->path->length)
        copy(own->path, longest);
    unlock(section);
}

void aa_path_update(void) {
    if (aa_path_is_followed())
        aa_path_here(NULL);
}
