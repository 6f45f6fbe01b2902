#define _GNU_SOURCE
#include "path_team.h"

#include <string.h>

#include "memory.h"
#include "rare.h"

#define LEAST_USEFUL 50 /* following barriers may take at most 1/50 of the process's time */

static struct {
    struct aa_work *of;
    uint32_t capacity;
} members; /* indexed by the number of the thread's tree */

/* Shares, protected by the lock (path_turn.h). They are not on the stack, which may be small. */
static struct aa_path_share mine, others[2];

static struct aa_effort at_barriers; /* protected by the lock */
static _Thread_local struct aa_path_part part AA_INITIAL_EXEC;
static _Thread_local bool is_member AA_INITIAL_EXEC; /* whether this thread was in a team that was followed */

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

static void ignore(void *to, uint32_t node, uint32_t what, uint64_t visits, double work) {
    (void)to, (void)node, (void)what, (void)visits, (void)work;
}

void aa_path_pass_over(struct aa_work *work, const struct aa_thread *thread) {
    aa_rare_work = true;
    aa_work_look(work, thread, ignore, NULL);
}

void aa_path_member_passed_over(const struct aa_thread *thread) {
    struct aa_work *work = work_of_member(thread);
    if (work)
        aa_path_pass_over(work, thread);
}

uint64_t aa_path_taken_at_barriers(void) {
    return at_barriers.ticks;
}

void aa_path_forget_teams(void) {
    members.of = NULL;
    members.capacity = 0;
    part = (struct aa_path_part){.team = NULL};
}

/* ---- the slowest thread */

/* Adds the longest share to the chain of the thread that opened the team: all of it, or the part that exceeds
 * this thread's work in the team, which is already in the chain. */
static void add_longest(struct aa_path_holder *opener, const struct aa_path_share *longest, double in_team) {
    double beyond = longest->work - in_team;
    if (beyond <= 0)
        return;
    double fraction = in_team > 0 ? beyond / longest->work : 1;
    aa_path_share_of_team(longest, fraction);
    if (in_team > 0)
        aa_path_share_lengthen(longest, fraction, opener->path);
    else
        aa_path_add_work(opener, longest);
    opener->length = opener->path->length;
}

/* Adds the opener's own share to its chain. */
static void add_mine(struct aa_path_holder *opener) {
    aa_path_share_of_team(&mine, 1);
    aa_path_add_work(opener, &mine);
    opener->in_team += mine.work;
}

/* Returns whether following barriers is cheap enough; always true if instructions are counted. */
static bool is_cheap(void) {
    return aa_work_is_counted() ||
           at_barriers.ticks < (aa_clock_ticks() - aa_clock_start().ticks) / LEAST_USEFUL;
}

void aa_path_team_opened(struct aa_path_team *team) {
    struct aa_path_holder *own = aa_path_own;
    team->is_followed = aa_path_is_followed() && !aa_thread_closed;
    if (!team->is_followed)
        return;
    team->opener = own->teams == 0 && is_cheap() ? own : NULL;
    team->around = own->in_team;
    own->in_team = 0;
    own->teams++;
}

void aa_path_team_closed(const struct aa_path_team *team, struct aa_thread *const *threads, uint32_t count) {
    struct aa_path_holder *own = aa_path_own;
    if (!aa_path_is_followed() || aa_thread_closed)
        return;
    uint64_t since = aa_path_turn_ticks();
    struct aa_section section = aa_path_turn_begin();
    struct aa_path_share *longest = &others[0], *next = &others[1];
    aa_path_share_clear(&mine);
    aa_path_share_clear(longest);
    uint32_t steps = 1 + aa_work_look(&own->work, own->thread, aa_path_share_add, &mine);
    for (uint32_t i = 0; i < count; i++) {
        struct aa_work *work = threads[i] ? work_of_member(threads[i]) : NULL;
        if (!work)
            continue;
        aa_path_share_clear(next);
        steps += aa_work_look(work, threads[i], aa_path_share_add, next);
        if (next->work > longest->work)
            aa_path_share_swap(next, longest);
    }
    if (team->passed < team->reached && own->slowest.work > longest->work)
        aa_path_share_swap(&own->slowest, longest); /* its thread has left a barrier that was cancelled */
    if (team->is_followed && own->teams) {
        double slowest = longest->work;
        bool is_whole = own->in_team <= 0 && slowest > mine.work; /* if so, its work replaces the opener's */
        if (!is_whole)
            add_mine(own);
        add_longest(own, longest, is_whole ? 0 : own->in_team);
        own->teams--;
        own->in_team = team->around + (slowest > own->in_team ? slowest : own->in_team);
    } else {
        aa_path_add_work(own, &mine); /* when the team was opened, the thread had no chain */
    }
    aa_path_turn_end(section);
    aa_effort_add(&own->effort, since, steps);
}

/* ---- the members of a team */

/* Records that the calling thread continues at a node without a visit. */
static void continue_at(const struct aa_node *node) {
    if (aa_path_holders && !aa_path_has_ended)
        aa_work_continues(aa_thread_self, node);
}

struct aa_path_part aa_path_part_begins(struct aa_path_team *team, bool is_opener,
                                        const struct aa_node *node) {
    struct aa_path_part around = part;
    part = (struct aa_path_part){.team = team->opener ? team : NULL};
    if (!is_opener)
        continue_at(node);
    if (team->is_followed && !is_opener && !is_member) {
        is_member = true;
        struct aa_section section = aa_path_turn_begin();
        aa_path_member_passed_over(aa_thread_self);
        aa_path_turn_end(section);
    }
    return around;
}

void aa_path_part_ends(struct aa_path_part around) {
    part = around;
}

void aa_path_task_begins(const struct aa_node *node) {
    part.had_task = true;
    continue_at(node);
}

bool aa_path_has_barriers(void) {
    return part.team && !part.team->is_over && !aa_path_has_ended && !aa_thread_closed;
}

/* Reads the calling thread's work since the last reading into `mine`. Returns the number of steps. */
static uint32_t look(struct aa_path_holder *opener) {
    bool is_opener = opener->thread == aa_thread_self;
    struct aa_work *work = is_opener ? &opener->work : work_of_member(aa_thread_self);
    aa_path_share_clear(&mine);
    return 1 + (work ? aa_work_look(work, aa_thread_self, aa_path_share_add, &mine) : 0);
}

void aa_path_barrier_reached(void) {
    struct aa_path_team *team = part.team;
    struct aa_path_holder *opener = team->opener;
    uint64_t since = aa_path_turn_ticks();
    struct aa_section section = aa_path_turn_begin();
    uint32_t steps = look(opener);
    if (++part.barriers > team->reached) {
        team->reached = part.barriers;
        team->slowest[part.barriers % 2] = 0;
        aa_path_share_clear(&opener->slowest);
    }
    part.had_task = false;
    part.work = mine.work;
    if (opener->thread == aa_thread_self && opener->in_team > 0) {
        add_mine(opener);
        part.work = opener->in_team;
    } else if (mine.work > opener->slowest.work) {
        aa_path_share_swap(&mine, &opener->slowest);
    }
    double *slowest = &team->slowest[part.barriers % 2];
    *slowest = part.work > *slowest ? part.work : *slowest;
    aa_effort_add(&at_barriers, since, steps);
    aa_path_turn_end(section);
}

/* Adds the work of tasks that the calling thread has executed at the barrier, if they make it the slowest. */
static uint32_t add_tasks(struct aa_path_team *team) {
    uint32_t steps = look(team->opener);
    double work = part.work + mine.work, *slowest = &team->slowest[part.barriers % 2];
    double beyond = work - *slowest < mine.work ? work - *slowest : mine.work;
    if (beyond <= 0)
        return steps;
    aa_path_share_of_team(&mine, beyond / mine.work);
    aa_path_share_lengthen(&mine, beyond / mine.work, team->opener->path);
    team->opener->length = team->opener->path->length;
    *slowest = work;
    return steps;
}

/* The first thread that leaves a barrier adds the work of the slowest thread to the chain, before the opener
 * can continue. If this becomes too expensive, no thread follows the next barriers. Threads that leave a
 * cancelled barrier have not passed it, because other threads may never reach it. */
void aa_path_barrier_left(bool cancelled) {
    struct aa_path_team *team = part.team;
    bool has_passed = team->passed >= part.barriers;
    if (cancelled && !has_passed) {
        part.barriers--;
        return;
    }
    if (has_passed && !part.had_task)
        return;
    uint64_t since = aa_path_turn_ticks();
    uint32_t steps = 1;
    struct aa_section section = aa_path_turn_begin();
    if (team->passed < part.barriers) {
        add_longest(team->opener, &team->opener->slowest, team->opener->in_team);
        team->opener->in_team = 0;
        team->passed = part.barriers;
        team->is_over = !is_cheap();
    }
    if (part.had_task)
        steps += add_tasks(team);
    aa_effort_add(&at_barriers, since, steps);
    aa_path_turn_end(section);
}
