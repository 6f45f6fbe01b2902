#define _GNU_SOURCE
#include "team.h"
#include "book.h"
#include "path.h"
#include "probe.h"
#include "region.h"
#include "self.h"
#include "throttle.h"
#include "tree.h"

#include <sched.h>
#include <string.h>

static struct aa_team busy; /* replaces the team in waits_for while the wait is being booked */

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_construct(const char *key) {
    static const char version[] = AA_DESCRIPTOR_VERSION "|";
    if (!key || !begins_with(key, version))
        return false;
    const char *kind = key + strlen(version);
    return begins_with(kind, "loop|") || begins_with(kind, "parallel|");
}

/*
 * Returns the construct that was entered last, even if it is throttled and its time goes to its parent; null
 * if the last region is not a construct.
 */
static struct aa_node *construct_of(const struct aa_thread *thread) {
    const struct aa_frame *frame = thread->top - 1;
    const char *key = aa_key_get(&frame->key);
    return is_construct(key) ? aa_throttled_node(aa_tree_edge(thread, frame->node, key)->child) : NULL;
}

/* Uses the region's own key, because the program's key may no longer exist when the task is executed. */
struct aa_origin aa_task_origin(void) {
    struct aa_node *node = aa_thread_self->current;
    bool is_base = node->region == AA_NO_REGION;
    return (struct aa_origin){node, is_base ? aa_no_key : aa_region_at(node->region)->descriptor, NULL};
}

struct aa_origin aa_team_origin(void) {
    struct aa_origin origin = aa_task_origin();
    origin.construct = construct_of(aa_thread_self);
    if (!origin.construct)
        aa_throttle_frame(aa_thread_self, is_construct);
    return origin;
}

/*
 * Updates the critical path, because it is not known yet which thread of the team will be the slowest. This
 * is done inside the wait, so that the time for it, and for waiting until other threads have updated their
 * chains, does not count as the program's work.
 */
void aa_team_open(struct aa_team *team, struct aa_thread **members, uint32_t room) {
    *team = (struct aa_team){
        .origin = aa_team_origin(), .opener = aa_thread_self, .room = room, .members = members};
    team->waiting = aa_wait_begin(NULL);
    aa_path_update();
    aa_path_team_opened(&team->path);
}

struct aa_waiting aa_team_barrier_begin(struct aa_wait *wait) {
    struct aa_waiting waiting = aa_wait_begin(wait);
    if (aa_path_has_barriers())
        aa_path_barrier_reached();
    return waiting;
}

void aa_team_barrier_end(struct aa_waiting waiting, bool cancelled) {
    if (aa_path_has_barriers())
        aa_path_barrier_left(cancelled);
    aa_wait_end(waiting);
}

static bool take_out(struct aa_thread *thread, struct aa_team *team) {
    return atomic_compare_exchange_strong_explicit(&thread->waits_for, &team, &busy, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void book_wait(struct aa_thread *thread, uint64_t now) {
    int64_t waited = (int64_t)(now - thread->last);
    thread->waited = waited > 0 ? waited : 0;
    thread->waited_at->wall[AA_OMP] += thread->waited;
    atomic_store_explicit(&thread->waits_for, NULL, memory_order_release);
}

static void close_members(struct aa_team *team) {
    uint64_t now = aa_clock_ticks();
    uint32_t count = atomic_load_explicit(&team->count, memory_order_acquire);
    for (uint32_t i = 0; i < count && i < team->room; i++) {
        struct aa_thread *thread = __atomic_load_n(&team->members[i], __ATOMIC_ACQUIRE);
        if (thread && take_out(thread, team))
            book_wait(thread, now);
    }
    aa_path_team_closed(&team->path, team->members, count < team->room ? count : team->room);
}

void aa_team_close(struct aa_team *team) {
    if (aa_thread_self == team->opener) /* in the child of a fork, the team belongs to the parent */
        close_members(team);
    aa_wait_end(team->waiting);
}

/* When a thread finishes for the first time, it is added to the members, so that the opener books its
 * wait. */
void aa_team_wait(struct aa_thread *thread, struct aa_team *team, struct aa_node *node, bool again) {
    thread->waited_at = node;
    thread->waited = 0;
    thread->idle = true;
    atomic_store_explicit(&thread->waits_for, team, memory_order_release);
    if (again)
        return;
    uint32_t place = atomic_fetch_add_explicit(&team->count, 1, memory_order_acq_rel);
    if (place < team->room)
        __atomic_store_n(&team->members[place], thread, __ATOMIC_RELEASE);
}

struct aa_team *aa_team_come_back(struct aa_thread *thread) {
    if (!thread->idle)
        return NULL;
    struct aa_team *team = atomic_load_explicit(&thread->waits_for, memory_order_acquire);
    if (team && team != &busy && take_out(thread, team))
        book_wait(thread, aa_clock_ticks());
    else
        team = NULL;
    while (atomic_load_explicit(&thread->waits_for, memory_order_acquire))
        sched_yield();
    thread->idle = false;
    aa_book_wait(thread);
    return team;
}

/* Takes no lock, because the process may end while a thread holds it. */
void aa_team_finish(void) {
    struct aa_record *record = NULL;
    while ((record = aa_shard_next(record))) {
        struct aa_thread *thread = (struct aa_thread *)record;
        if (record->type == AA_RECORD_THREAD && thread->idle && thread->waited > 0 &&
            !atomic_load_explicit(&thread->waits_for, memory_order_acquire))
            aa_book_wait_of(thread);
    }
}
