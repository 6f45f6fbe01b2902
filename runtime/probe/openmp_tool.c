/*
 * OpenMP libraries that report their own events through OMPT, OpenMP 5's interface for tools, such as LLVM's
 * library and those derived from it. Only the parts of the interface that are used are declared here.
 */
#define _GNU_SOURCE
#include "openmp.h"
#include "openmp_waits.h"
#include "probe.h"
#include "process.h"
#include "team.h"
#include "self.h"
#include "thread.h"
#include "turn.h"

#include <stdlib.h>

#define MOST_THREADS 4096u

bool aa_openmp_tells;
_Thread_local bool aa_openmp_tries AA_INITIAL_EXEC;

/* ---- OMPT */

typedef union {
    uint64_t value;
    void *pointer;
} omp_data;

typedef void (*omp_callback)(void);
typedef omp_callback (*omp_lookup)(const char *name);
typedef int (*omp_set_callback)(int event, omp_callback callback);

struct omp_tool {
    int (*initialise)(omp_lookup lookup, int device, omp_data *tool);
    void (*finalise)(omp_data *tool);
    omp_data tool;
};

enum { PARALLEL_BEGIN = 3, PARALLEL_END, TASK_CREATE, TASK_SCHEDULE, IMPLICIT_TASK, SYNC_REGION_WAIT = 16 };
enum { MUTEX_RELEASED = 17, MUTEX_ACQUIRE = 26, MUTEX_ACQUIRED };
enum { BEGIN = 1, END };
enum { BARRIER_IMPLICIT = 2, TASKWAIT = 5, TASKGROUP, REDUCTION, BARRIER_IMPLICIT_PARALLEL = 9 };
enum { TASK_COMPLETE = 1, TASK_CANCEL = 3, TASK_DETACH, TASK_LATE_FULFILL = 6 };
enum { MUTEX_LOCK = 1, MUTEX_TEST_LOCK, MUTEX_CRITICAL = 5, MUTEX_ATOMIC, MUTEX_ORDERED };

#define TEAM 0x80000000u
#define IMPLICIT 0x2u
#define EXPLICIT 0x4u

/* ---- the data of a task; the data of an implicit task exist until its thread has finished its part of the
 * region */

struct task {
    struct aa_origin origin;
    struct aa_team *team; /* null for an explicit task */
    struct aa_turn turn;
    uint32_t number;
    bool is_open;
    struct aa_waiting waiting;
};

struct region {
    struct aa_team team; /* must be the first member: see is_at_end */
    const void *address;
    struct task tasks[];
};

static void open_task(struct task *task) {
    task->turn = aa_turn_begin(task->origin, task->team, task->team ? task->number : AA_ANY_TREE);
    task->is_open = true;
}

static void close_task(struct task *task) {
    task->is_open = false;
    aa_turn_end(task->turn);
}

/* ---- parallel regions */

static void on_parallel_begin(omp_data *task, const void *frame, omp_data *parallel, unsigned threads,
                              unsigned flags, const void *address) {
    (void)task, (void)frame;
    uint32_t room = threads < MOST_THREADS ? threads : MOST_THREADS;
    struct region *region = NULL;
    if (aa_thread_self && flags & TEAM)
        region = calloc(1, sizeof *region + room * (sizeof region->tasks[0] + sizeof(struct aa_thread *)));
    parallel->pointer = region;
    if (!region)
        return;
    aa_team_open(&region->team, (struct aa_thread **)(region->tasks + room), room);
    region->address = address;
}

static void on_parallel_end(omp_data *parallel, omp_data *task, unsigned flags, const void *address) {
    (void)task, (void)flags, (void)address;
    struct region *region = parallel->pointer;
    if (!region)
        return;
    aa_team_close(&region->team);
    free(region);
}

static void on_implicit_task(int endpoint, omp_data *parallel, omp_data *data, unsigned threads,
                             unsigned number, unsigned flags) {
    (void)threads;
    struct region *region = parallel ? parallel->pointer : NULL;
    if (endpoint == BEGIN) {
        data->pointer = NULL;
        if (!region || !(flags & IMPLICIT) || number >= region->team.room)
            return;
        struct task *task = &region->tasks[number];
        *task = (struct task){.origin = region->team.origin, .team = &region->team, .number = number};
        open_task(task);
        data->pointer = task;
    } else if (data && data->pointer) {
        close_task(data->pointer);
        data->pointer = NULL;
    }
}

/* ---- explicit tasks */

static void on_task_create(omp_data *creator, const void *frame, omp_data *data, unsigned flags,
                           int dependences, const void *address) {
    (void)creator, (void)frame, (void)dependences, (void)address;
    if (!(flags & EXPLICIT))
        return;
    struct task *task = aa_thread_self ? calloc(1, sizeof *task) : NULL;
    if (task)
        task->origin = aa_task_origin();
    data->pointer = task;
}

static struct task *explicit_task(const omp_data *data) {
    struct task *task = data ? data->pointer : NULL;
    return task && !task->team ? task : NULL;
}

/* A task that another task interrupts stays open. */
static void on_task_schedule(omp_data *before, int status, omp_data *after) {
    struct task *prior = explicit_task(before), *next = explicit_task(after);
    bool is_done = status == TASK_COMPLETE || status == TASK_CANCEL;
    if (prior && prior->is_open && (is_done || status == TASK_DETACH))
        close_task(prior);
    if (prior && (is_done || status == TASK_LATE_FULFILL)) {
        free(prior);
        before->pointer = NULL;
    }
    if (next && !next->is_open)
        open_task(next);
}

/* ---- waiting */

static void end_wait(struct aa_waiting *waiting) {
    aa_wait_end(*waiting);
    waiting->has_begun = false;
}

/* Returns whether a wait is at the end of its parallel region. Only the first thread has recorded where the
 * region began. */
static bool is_at_end(const struct task *task, int kind, const void *address) {
    const struct region *region = (const struct region *)task->team;
    bool may_be = region && kind == BARRIER_IMPLICIT && (!address || address == region->address);
    return may_be || (region && kind == BARRIER_IMPLICIT_PARALLEL);
}

/* Returns whether the end of a wait is reported only when the thread is already in another region. */
static bool is_last(const struct task *task, bool at_end) {
    return at_end && task->number > 0;
}

static void on_wait(int kind, int endpoint, omp_data *parallel, omp_data *data, const void *address) {
    (void)parallel;
    struct task *task = data ? data->pointer : NULL;
    if (!task)
        return;
    enum aa_wait_kind what = kind == TASKWAIT || kind == TASKGROUP ? AA_WAIT_TASKS : AA_WAIT_BARRIER;
    bool at_end = is_at_end(task, kind, address), has_place = aa_thread_self && address && !at_end;
    bool is_barrier = task->team && what == AA_WAIT_BARRIER && kind != REDUCTION && !at_end;
    if (endpoint == END) {
        if (is_barrier)
            aa_team_barrier_end(task->waiting, false);
        else
            aa_wait_end(task->waiting);
        task->waiting.has_begun = false;
    } else if (is_last(task, at_end)) {
        data->pointer = NULL;
        close_task(task);
    } else {
        struct aa_wait *wait = has_place ? aa_wait_enter(what, address) : NULL;
        task->waiting = is_barrier ? aa_team_barrier_begin(wait) : aa_wait_begin(wait);
    }
}

/* ---- locks, except nested locks, for which OMPT does not report whether the holder enters again */

static bool is_awaited(int mutex) {
    return mutex == MUTEX_LOCK || mutex == MUTEX_CRITICAL || mutex == MUTEX_ATOMIC || mutex == MUTEX_ORDERED;
}

static enum aa_wait_kind kind_of(int mutex) {
    if (mutex == MUTEX_LOCK)
        return AA_WAIT_LOCK;
    if (mutex == MUTEX_ATOMIC)
        return AA_WAIT_ATOMIC;
    return mutex == MUTEX_ORDERED ? AA_WAIT_ORDERED : AA_WAIT_CRITICAL;
}

static _Thread_local struct aa_waiting for_mutex AA_INITIAL_EXEC;

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t id,
                             const void *address) {
    (void)hint, (void)implementation;
    if (!is_awaited(kind) || aa_openmp_tries)
        return;
    struct aa_wait *wait = aa_thread_self ? aa_wait_enter(kind_of(kind), address) : NULL;
    if (kind == MUTEX_ORDERED || aa_lock_asked(wait, (void *)(uintptr_t)id))
        for_mutex = aa_wait_begin(wait);
}

static void on_mutex_acquired(int kind, uint64_t id, const void *address) {
    (void)address;
    if (kind == MUTEX_TEST_LOCK || (kind == MUTEX_LOCK && aa_openmp_tries))
        aa_lock_asked(NULL, (void *)(uintptr_t)id);
    else if (is_awaited(kind))
        end_wait(&for_mutex);
}

static void on_mutex_released(int kind, uint64_t id, const void *address) {
    (void)address;
    if (is_awaited(kind) && kind != MUTEX_ORDERED)
        aa_lock_given_back((void *)(uintptr_t)id);
}

/* ---- start */

static int initialise(omp_lookup lookup, int device, omp_data *tool) {
    static const struct {
        int event;
        omp_callback function;
    } callbacks[] = {
        {PARALLEL_BEGIN, (omp_callback)on_parallel_begin}, {PARALLEL_END, (omp_callback)on_parallel_end},
        {IMPLICIT_TASK, (omp_callback)on_implicit_task},   {TASK_CREATE, (omp_callback)on_task_create},
        {TASK_SCHEDULE, (omp_callback)on_task_schedule},   {SYNC_REGION_WAIT, (omp_callback)on_wait},
        {MUTEX_ACQUIRE, (omp_callback)on_mutex_acquire},   {MUTEX_ACQUIRED, (omp_callback)on_mutex_acquired},
        {MUTEX_RELEASED, (omp_callback)on_mutex_released}};
    (void)device, (void)tool;
    omp_set_callback set = (omp_set_callback)lookup("ompt_set_callback");
    if (!set)
        return 0;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        set(callbacks[i].event, callbacks[i].function);
    aa_openmp_tells = true;
    return 1;
}

static void finalise(omp_data *tool) {
    (void)tool;
}

AA_EXPORT struct omp_tool *ompt_start_tool(unsigned version, const char *library);
AA_EXPORT struct omp_tool *ompt_start_tool(unsigned version, const char *library) {
    static struct omp_tool tool = {initialise, finalise, {0}};
    (void)version, (void)library;
    return aa_process_records() ? &tool : NULL;
}
