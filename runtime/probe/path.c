#define _GNU_SOURCE
#include "path.h"

#include "messages.h"
#include "path_team.h"
#include "rare.h"

uint64_t aa_path_taken(void) {
    uint64_t ticks = aa_path_taken_at_barriers();
    for (struct aa_path_holder *each = aa_path_holders; each; each = each->next)
        ticks += each->effort.ticks;
    return ticks;
}

/* ---- chains and their threads */

static struct aa_path *longest_of_process(void) {
    struct aa_path *longest = NULL;
    for (struct aa_path_holder *each = aa_path_holders; each; each = each->next) {
        if (!longest || each->path->length > longest->length)
            longest = each->path;
    }
    return longest;
}

/* ---- the work of a thread */

/* Adds a thread's work since the last call to its chain. Returns the number of nodes that were read. */
static uint32_t look(struct aa_path_holder *holder) {
    uint32_t nodes;
    if (holder->teams || holder->path->length > holder->length) {
        static struct aa_path_share share; /* protected by the lock (path_turn.h) */
        aa_path_share_clear(&share);
        nodes = aa_work_look(&holder->work, holder->thread, aa_path_share_add, &share);
        if (holder->teams) {
            holder->in_team += share.work;
            aa_path_share_of_team(&share, 1);
        }
        aa_path_add_work(holder, &share);
    } else {
        nodes = aa_work_look(&holder->work, holder->thread, aa_chain_lengthen, holder->path);
        holder->length = holder->path->length;
    }
    return nodes;
}

/* ---- the start and end of threads */

/* The creators' chains at the most recent thread creations. A few suffice, because most new threads call MPI
 * soon or never. */
#define BIRTHS 64

static struct birth {
    uint64_t number;
    struct aa_path path;
} births[BIRTHS];

static uint64_t latest_birth;
_Thread_local uint64_t aa_path_born AA_INITIAL_EXEC;

void aa_path_thread_ends(const struct aa_thread *thread) {
    if (aa_path_turn_give_up() || !aa_path_own || aa_path_own->thread != thread || aa_path_has_ended)
        return;
    struct aa_section section = aa_path_turn_begin();
    look(aa_path_own);
    aa_path_turn_end(section);
    aa_path_own = NULL;
}

/* Starts a thread's chain with the chain of its creator, or of the thread whose tree it takes over, plus its
 * own work since then. If the longest chain in the process is longer, starts with it instead, because its
 * thread may have woken this thread. */
static struct aa_path_holder *begin(const struct aa_thread *thread, uint32_t *steps) {
    const struct aa_path *longest = longest_of_process();
    struct aa_path_holder *holder = aa_path_holder_of(thread);
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

/* Takes the lock, and returns the calling thread's chain, with its work up to now, and the number of steps.
 * Returns null, without the lock, if the thread has no chain or the path has ended. */
static struct aa_path *take(struct aa_section *section, uint32_t *steps) {
    const struct aa_thread *thread = aa_thread_self;
    if (!thread || aa_thread_closed || aa_path_has_ended)
        return NULL;
    *section = aa_path_turn_begin();
    *steps = 1;
    if (!aa_path_own || aa_path_own->thread != thread)
        aa_path_own = begin(thread, steps);
    if (!aa_path_own) {
        aa_path_turn_end(*section);
        return NULL;
    }
    *steps += look(aa_path_own);
    return aa_path_own->path;
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
    aa_effort_add(&aa_path_own->effort, since, steps);
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
    aa_rare_work = true;
    aa_path_turn_end(section);
    aa_effort_add(&aa_path_own->effort, since, steps);
    return number;
}

uint64_t aa_path_effort_begins(void) {
    return aa_path_turn_ticks() - (aa_path_own ? aa_path_own->effort.ticks : 0);
}

void aa_path_effort_ends(uint64_t start, uint32_t steps) {
    if (aa_path_is_followed())
        aa_effort_add(&aa_path_own->effort, start + aa_path_own->effort.ticks, steps);
}

/* ---- threads that take over a tree */

void aa_path_tree_taken_over(const struct aa_thread *thread) {
    if (!aa_path_holders || aa_path_has_ended)
        return;
    struct aa_section section = aa_path_turn_begin();
    struct aa_path_holder *holder = aa_path_holder_of(thread);
    if (holder) {
        aa_path_pass_over(&holder->work, thread);
        holder->length = holder->path->length;
    }
    aa_path_member_passed_over(thread);
    aa_path_turn_end(section);
}

/* ---- meeting other threads and ranks */

/* Continues with the other chain if it is longer; returns the wait. The other chain may have been sent before
 * the last meeting of all ranks, so it is first started again from the common length. */
static double join(const struct aa_path *other, bool by_message) {
    if (other->length <= aa_path_own->path->length)
        return 0;
    const char *waiting = (const char *)aa_thread_self->current, *start = (const char *)aa_shard();
    aa_chain_copy(&aa_path_own->joined, other);
    aa_chain_start_again(&aa_path_own->joined, &aa_chain_of_nothing, aa_path_own->path->base);
    aa_path_blame(aa_path_own->path, &aa_path_own->joined, (uint32_t)((waiting - start) / AA_SHARD_ALIGNMENT),
                  by_message);
    double waited = aa_path_own->joined.length - aa_path_own->path->length;
    aa_chain_copy(aa_path_own->path, &aa_path_own->joined);
    aa_path_own->length = aa_path_own->path->length;
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
    aa_effort_add(&aa_path_own->effort, since, steps + other->count);
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
    for (struct aa_path_holder *each = aa_path_holders; each; each = each->next)
        aa_chain_start_again(each->path, &each->before, longest->length);
    aa_path_own->length = aa_path_own->path->length;
    aa_path_turn_end(section);
    aa_effort_add(&aa_path_own->effort, since, 1 + longest->count);
}

void aa_path_gather_threads(void) {
    if (aa_thread_closed || aa_path_has_ended)
        return;
    struct aa_section section = aa_path_turn_begin();
    const struct aa_path *longest = aa_path_is_followed() ? longest_of_process() : NULL;
    for (struct aa_path_holder *each = aa_path_holders; each; each = each->next) {
        if (each != aa_path_own)
            aa_chain_copy(&each->before, each->path);
    }
    if (longest && longest != aa_path_own->path && longest->length > aa_path_own->path->length)
        aa_chain_copy(aa_path_own->path, longest);
    aa_path_turn_end(section);
}

void aa_path_end(void) {
    aa_path_has_ended = true;
}

void aa_path_forget(void) {
    aa_path_turn_forget();
    aa_path_sums_forget();
    aa_path_holders = aa_path_own = NULL;
    aa_path_forget_teams();
}

void aa_path_update(void) {
    if (aa_path_is_followed())
        aa_path_here(NULL);
}
