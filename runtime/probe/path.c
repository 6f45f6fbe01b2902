#define _GNU_SOURCE
#include "path.h"

#include <string.h>

#include "memory.h"
#include "messages.h"
#include "path_share.h"
#include "path_turn.h"
#include "self.h"
#include "work.h"

/*
 * A thread's chain. It is in the shard, so it survives the end of the process. Other threads may change it.
 */
struct holder {
    struct holder *next;
    const struct aa_thread *thread;
    struct aa_path *path;
    struct aa_path before; /* the chain when threads were last gathered */
    struct aa_path joined; /* the last chain that the thread has waited for */
    struct aa_work work;
    double length;  /* length of the path when the thread last added its work */
    double in_team; /* the thread's work in the innermost team that it has opened, up to its last look */
    uint32_t teams; /* the number of teams that the thread has opened */
    struct aa_effort effort;
};

static struct holder *_Atomic holders;
_Atomic bool aa_path_has_ended;
static _Thread_local struct holder *own AA_INITIAL_EXEC;

uint64_t aa_path_taken(void) {
    uint64_t ticks = 0;
    for (struct holder *each = holders; each; each = each->next)
        ticks += each->effort.ticks;
    return ticks;
}

/* ---- chains and their threads */

static struct aa_path *longest_of_process(void) {
    struct aa_path *longest = NULL;
    for (struct holder *each = holders; each; each = each->next) {
        if (!longest || each->path->length > longest->length)
            longest = each->path;
    }
    return longest;
}

static struct holder *known_holder_of(const struct aa_thread *thread) {
    struct holder *holder = holders;
    while (holder && holder->thread != thread)
        holder = holder->next;
    return holder;
}

static struct holder *new_holder_of(const struct aa_thread *thread) {
    struct holder *holder = aa_memory_map(sizeof *holder);
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

/* ---- the work of a thread */

/* Adds a thread's work to its chain. If other threads have made the chain longer while this thread worked,
 * only work beyond that makes it even longer. */
static void add_work(struct holder *holder, const struct aa_path_share *share) {
    double raised = holder->path->length - holder->length;
    double beyond = raised > 0 ? share->work - raised : share->work;
    if (beyond > 0)
        aa_path_share_lengthen(share, beyond / share->work, holder->path);
    holder->length = holder->path->length;
}

/* Adds a thread's work since its last look to its chain. Returns the number of nodes that were read. */
static uint32_t look(struct holder *holder) {
    uint32_t nodes;
    if (holder->teams || holder->path->length > holder->length) {
        static struct aa_path_share share; /* not on the stack, which may be small; protected by the turn */
        memset(&share, 0, sizeof share);
        nodes = aa_work_look(&holder->work, holder->thread, aa_path_share_add, &share);
        if (holder->teams) {
            holder->in_team += share.work;
            aa_path_share_of_team(&share, 1);
        }
        add_work(holder, &share);
    } else {
        nodes = aa_work_look(&holder->work, holder->thread, aa_chain_lengthen, holder->path);
        holder->length = holder->path->length;
    }
    return nodes;
}

/* ---- the start and end of threads */

/* The chains of the latest thread creations: most new threads call MPI soon, or never. */
#define BIRTHS 64

static struct birth {
    uint64_t number;
    struct aa_path path;
} births[BIRTHS];

static uint64_t latest_birth;
_Thread_local uint64_t aa_path_born AA_INITIAL_EXEC;

void aa_path_thread_ends(const struct aa_thread *thread) {
    if (aa_path_turn_give_up() || !own || own->thread != thread || aa_path_has_ended)
        return;
    struct aa_section section = aa_path_turn_begin();
    look(own);
    aa_path_turn_end(section);
    own = NULL;
}

/* Starts a thread's chain with the chain of its creator, or of the thread whose tree it takes over, plus
 * its own work since then. If the longest chain of the process is longer, starts with that one, because its
 * thread may have woken this thread. */
static struct holder *begin(const struct aa_thread *thread, uint32_t *steps) {
    const struct aa_path *longest = longest_of_process();
    struct holder *known = known_holder_of(thread), *holder = known ? known : new_holder_of(thread);
    if (!holder)
        return NULL;
    const struct birth *birth = &births[aa_path_born % BIRTHS];
    if (aa_path_born && birth->number == aa_path_born && birth->path.length > holder->path->length) {
        aa_chain_copy(holder->path, &birth->path);
        holder->length = holder->path->length;
    }
    *steps += look(holder);
    if (longest && longest->length > holder->path->length)
        aa_chain_copy(holder->path, longest);
    else if (longest)
        aa_chain_start_again(holder->path, &aa_chain_of_nothing, longest->base);
    aa_chain_copy(&holder->before, holder->path);
    holder->length = holder->path->length;
    return holder;
}

/* Returns the calling thread's chain, with its work up to now, and the number of steps; the caller then holds
 * the lock. Returns null, without the lock, if the thread has no chain or the path has ended. */
static struct aa_path *take(struct aa_section *section, uint32_t *steps) {
    const struct aa_thread *thread = aa_thread_self;
    if (!thread || aa_thread_closed || aa_path_has_ended)
        return NULL;
    *section = aa_path_turn_begin();
    *steps = 1;
    if (!own || own->thread != thread)
        own = begin(thread, steps);
    if (!own) {
        aa_path_turn_end(*section);
        return NULL;
    }
    *steps += look(own);
    return own->path;
}

bool aa_path_here(struct aa_path *to) {
    uint64_t since = aa_path_turn_ticks();
    struct aa_section section;
    uint32_t steps;
    const struct aa_path *path = take(&section, &steps);
    if (!path)
        return false;
    if (to)
        aa_chain_copy(to, path);
    aa_path_turn_end(section);
    aa_effort_add(&own->effort, since, steps);
    return true;
}

uint64_t aa_path_birth(void) {
    struct aa_section section;
    uint32_t steps;
    uint64_t since = aa_path_turn_ticks();
    const struct aa_path *path = take(&section, &steps);
    if (!path)
        return 0;
    uint64_t number = ++latest_birth;
    births[number % BIRTHS].number = number;
    aa_chain_copy(&births[number % BIRTHS].path, path);
    aa_path_turn_end(section);
    aa_effort_add(&own->effort, since, steps);
    return number;
}

bool aa_path_is_followed(void) {
    return own && own->thread == aa_thread_self && !aa_path_has_ended;
}

uint64_t aa_path_effort_begins(void) {
    return aa_path_turn_ticks() - (own ? own->effort.ticks : 0);
}

void aa_path_effort_ends(uint64_t start, uint32_t steps) {
    if (aa_path_is_followed())
        aa_effort_add(&own->effort, start + own->effort.ticks, steps);
}

/* ---- teams of threads */

static struct {
    struct aa_work *of;
    uint32_t capacity;
} members; /* indexed by the number of the thread's tree */

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

void aa_path_team_opened(struct aa_path_team *team) {
    team->is_followed = aa_path_is_followed() && !aa_thread_closed;
    if (!team->is_followed)
        return;
    team->around = own->in_team;
    own->in_team = 0;
    own->teams++;
}

/* Adds the calling thread's share to its chain, then the part of the longest share, of another member, that
 * exceeds the thread's work in the team. If the thread has not called MPI in the team, the longest share
 * replaces its own. */
static void add_slowest(const struct aa_path_share *mine, const struct aa_path_share *longest,
                        double in_team) {
    double beyond = longest->work - in_team;
    bool is_whole = beyond > 0 && own->in_team <= 0;
    if (!is_whole) {
        aa_path_share_of_team(mine, 1);
        add_work(own, mine);
    }
    if (beyond > 0) {
        double part = is_whole ? 1 : beyond / longest->work;
        aa_path_share_of_team(longest, part);
        if (is_whole)
            add_work(own, longest);
        else
            aa_path_share_lengthen(longest, part, own->path);
        own->length = own->path->length;
    }
}

void aa_path_team_closed(const struct aa_path_team *team, struct aa_thread *const *threads, uint32_t count) {
    if (!aa_path_is_followed() || aa_thread_closed)
        return;
    uint64_t since = aa_path_turn_ticks();
    struct aa_section section = aa_path_turn_begin();
    static struct aa_path_share mine,
        others[2]; /* not on the stack, which may be small; protected by the turn */
    struct aa_path_share *longest = &others[0], *next = &others[1];
    memset(&mine, 0, sizeof mine);
    memset(longest, 0, sizeof *longest);
    uint32_t steps = 1 + aa_work_look(&own->work, own->thread, aa_path_share_add, &mine);
    for (uint32_t i = 0; i < count; i++) {
        struct aa_work *work = threads[i] ? work_of_member(threads[i]) : NULL;
        if (!work)
            continue;
        memset(next, 0, sizeof *next);
        steps += aa_work_look(work, threads[i], aa_path_share_add, next);
        if (next->work > longest->work) {
            struct aa_path_share *kept = longest;
            longest = next;
            next = kept;
        }
    }
    if (team->is_followed && own->teams) {
        double in_team = own->in_team + mine.work;
        add_slowest(&mine, longest, in_team);
        own->teams--;
        own->in_team = team->around + (longest->work > in_team ? longest->work : in_team);
    } else {
        add_work(own, &mine); /* when the team was opened, the thread had no chain */
    }
    aa_path_turn_end(section);
    aa_effort_add(&own->effort, since, steps);
}

/* ---- threads that take over a tree */

static void pass_over(void *to, uint32_t node, uint32_t what, uint64_t visits, double work) {
    (void)to, (void)node, (void)what, (void)visits, (void)work;
}

void aa_path_tree_taken_over(const struct aa_thread *thread) {
    if (!holders || aa_path_has_ended)
        return;
    struct aa_section section = aa_path_turn_begin();
    struct holder *known = known_holder_of(thread), *holder = known ? known : new_holder_of(thread);
    struct aa_work *of_member = work_of_member(thread);
    if (holder) {
        aa_work_look(&holder->work, thread, pass_over, NULL);
        holder->length = holder->path->length;
    }
    if (of_member)
        aa_work_look(of_member, thread, pass_over, NULL);
    aa_path_turn_end(section);
}

/* ---- meeting other threads and ranks */

/* The other chain may be older than the last meeting of all ranks, if a thread sent it before the meeting. It
 * is therefore first started again from the common length. Returns the wait. */
static double join(const struct aa_path *other, bool by_message) {
    if (other->length <= own->path->length)
        return 0;
    const char *waiting = (const char *)aa_thread_self->current, *start = (const char *)aa_shard();
    aa_chain_copy(&own->joined, other);
    aa_chain_start_again(&own->joined, &aa_chain_of_nothing, own->path->base);
    aa_path_blame(own->path, &own->joined, (uint32_t)((waiting - start) / AA_SHARD_ALIGNMENT), by_message);
    double waited = own->joined.length - own->path->length;
    aa_chain_copy(own->path, &own->joined);
    own->length = own->path->length;
    return waited;
}

static void come_up_and_join(const struct aa_path *other, bool by_message, int sender) {
    uint64_t since = aa_path_turn_ticks();
    struct aa_section section;
    uint32_t steps;
    if (!take(&section, &steps))
        return;
    double waited = join(other, by_message);
    if (sender != AA_PATH_NO_SENDER)
        aa_messages_waited(sender, waited);
    aa_path_turn_end(section);
    aa_effort_add(&own->effort, since, steps + other->count);
}

void aa_path_join(const struct aa_path *other) {
    come_up_and_join(other, false, AA_PATH_NO_SENDER);
}

void aa_path_join_sender(const struct aa_path *other, int sender) {
    come_up_and_join(other, true, sender);
}

void aa_path_meet(const struct aa_path *longest, bool mine) {
    uint64_t since = aa_path_turn_ticks();
    if (!aa_path_is_followed() || aa_thread_closed)
        return;
    struct aa_section section = aa_path_turn_begin();
    join(longest, false);
    if (mine)
        aa_path_keep(longest);
    for (struct holder *each = holders; each; each = each->next)
        aa_chain_start_again(each->path, &each->before, longest->length);
    own->length = own->path->length;
    aa_path_turn_end(section);
    aa_effort_add(&own->effort, since, 1 + longest->count);
}

void aa_path_gather_threads(void) {
    if (aa_thread_closed || aa_path_has_ended)
        return;
    struct aa_section section = aa_path_turn_begin();
    const struct aa_path *longest = aa_path_is_followed() ? longest_of_process() : NULL;
    for (struct holder *each = holders; each; each = each->next) {
        if (each != own)
            aa_chain_copy(&each->before, each->path);
    }
    if (longest && longest != own->path && longest->length > own->path->length)
        aa_chain_copy(own->path, longest);
    aa_path_turn_end(section);
}

void aa_path_end(void) {
    aa_path_has_ended = true;
}

void aa_path_forget(void) {
    aa_path_turn_forget();
    aa_path_sums_forget();
    holders = own = NULL;
    members.of = NULL;
    members.capacity = 0;
}

void aa_path_update(void) {
    if (aa_path_is_followed())
        aa_path_here(NULL);
}
