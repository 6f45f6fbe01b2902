/*
 * GNU's OpenMP, as compilers call it: parallel regions, tasks, and where threads wait for each other. LLVM's
 * library has these functions, too; where it tells of itself what happens (openmp_tool.c), they only pass on.
 */
#define _GNU_SOURCE
#include "openmp.h"
#include "probe.h"
#include "symbol.h"
#include "team.h"
#include "thread.h"

#include <dlfcn.h>
#include <string.h>

#define MOST_THREADS 4096u
#define NEXT(function) ((__typeof__(function) *)AA_NEXT(#function, __builtin_return_address(0), accept))

typedef void body(void *data);

static void accept(const void *function, const void *caller) {
    (void)function, (void)caller;
}

static bool is_recorded(void) {
    return aa_thread_self && !aa_openmp_tells;
}

static int ask(void *_Atomic *known, const char *name) {
    int (*function)(void) = (int (*)(void))(uintptr_t)aa_symbol_next(known, name, NULL, accept);
    return function ? function() : 0;
}

/* ---- parallel regions */

struct region {
    void *reductions; /* where libgomp looks for them: at the beginning of the data */
    body *body;
    void *data;
    struct aa_team team;
};

/* Only a thread without a tree is asked for its number. */
static uint32_t number(void) {
    static void *_Atomic function;
    return aa_thread_self ? AA_ANY_TREE : (uint32_t)ask(&function, "omp_get_thread_num");
}

static uint32_t room_for(unsigned threads) {
    static void *_Atomic function;
    uint32_t most = threads ? threads : (uint32_t)ask(&function, "omp_get_max_threads");
    return most < MOST_THREADS ? most : MOST_THREADS;
}

static void take_part(void *data) {
    struct region *region = data;
    struct aa_turn turn = aa_turn_begin(region->team.origin, number());
    region->body(region->data);
    aa_turn_end(turn, &region->team);
}

/* All threads take part in the region around the call that is done with a function and its data. */
#define IN_PARALLEL(threads, call)                                                                           \
    do {                                                                                                     \
        uint32_t room = room_for(threads);                                                                   \
        struct aa_thread *members[room + 1];                                                                 \
        struct region region = {NULL, function, data, {.room = 0}};                                          \
        aa_team_open(&region.team, members, room);                                                           \
        bool outermost = aa_share_begin(AA_SHARE_OMP);                                                       \
        call;                                                                                                \
        aa_share_end(outermost);                                                                             \
        aa_team_close(&region.team);                                                                         \
    } while (0)

/* A function that calls another in all threads; with it go the data, and what is said of the threads. */
#define PARALLEL(name, declared, passed)                                                                     \
    AA_EXPORT void name(body *function, void *data, unsigned threads AA_EACH declared);                      \
    AA_EXPORT void name(body *function, void *data, unsigned threads AA_EACH declared) {                     \
        __typeof__(name) *next = NEXT(name);                                                                 \
        if (is_recorded())                                                                                   \
            IN_PARALLEL(threads, next(take_part, &region, threads AA_EACH passed));                          \
        else                                                                                                 \
            next(function, data, threads AA_EACH passed);                                                    \
    }

#define AA_EACH(...) , __VA_ARGS__
#define LOOP(name)                                                                                           \
    PARALLEL(GOMP_parallel_loop_##name, (long start, long end, long step, long chunk, unsigned flags),       \
             (start, end, step, chunk, flags))
#define LOOP_OF_ANY_CHUNK(name)                                                                              \
    PARALLEL(GOMP_parallel_loop_##name, (long start, long end, long step, unsigned flags),                   \
             (start, end, step, flags))

PARALLEL(GOMP_parallel, (unsigned flags), (flags))
PARALLEL(GOMP_parallel_sections, (unsigned count, unsigned flags), (count, flags))
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP_OF_ANY_CHUNK(runtime)
LOOP_OF_ANY_CHUNK(nonmonotonic_runtime)
LOOP_OF_ANY_CHUNK(maybe_nonmonotonic_runtime)

AA_EXPORT unsigned GOMP_parallel_reductions(body *function, void *data, unsigned threads, unsigned flags);
AA_EXPORT unsigned GOMP_parallel_reductions(body *function, void *data, unsigned threads, unsigned flags) {
    __typeof__(GOMP_parallel_reductions) *next = NEXT(GOMP_parallel_reductions);
    if (!is_recorded())
        return next(function, data, threads, flags);
    unsigned result;
    IN_PARALLEL(threads,
                (region.reductions = *(void **)data, result = next(take_part, &region, threads, flags)));
    return result;
}

/* ---- tasks */

typedef void copy_data(void *to, void *from);

/* In front of a task's data. The library writes what a task begins with where its data begin. */
struct task {
    void *first[2];
    uint64_t written, offset;
    body *body;
    struct aa_origin origin;
    void *data;
    size_t size;
    copy_data *copy;
};

static void copy_task(void *to, void *from) {
    const struct task *task = from;
    memcpy(to, from, sizeof *task);
    void *data = (char *)to + task->offset;
    if (task->copy)
        task->copy(data, task->data);
    else
        memcpy(data, task->data, task->size);
}

static void execute_task(void *copy) {
    struct task *task = copy;
    void *data = (char *)copy + task->offset;
    memcpy(data, task->first, task->written);
    struct aa_turn turn = aa_turn_begin(task->origin, number());
    task->body(data);
    aa_turn_end(turn, NULL);
}

static struct task task_of(body *function, void *data, copy_data *copy, long size, long align) {
    size_t place = align > 16 ? (size_t)align : 16;
    size_t offset = (sizeof(struct task) + place - 1) / place * place;
    return (struct task){{NULL}, 0, offset, function, aa_task_origin(), data, (size_t)size, copy};
}

#define IS_DETACHED 0x80u /* twin: GOMP_TASK_FLAG_DETACH */

AA_EXPORT void GOMP_task(body *function, void *data, copy_data *copy, long size, long align, bool is_deferred,
                         unsigned flags, void **depend, int priority, void *detach);
AA_EXPORT void GOMP_task(body *function, void *data, copy_data *copy, long size, long align, bool is_deferred,
                         unsigned flags, void **depend, int priority, void *detach) {
    __typeof__(GOMP_task) *next = NEXT(GOMP_task);
    if (!is_recorded()) {
        next(function, data, copy, size, align, is_deferred, flags, depend, priority, detach);
        return;
    }
    struct task task = task_of(function, data, copy, size, align);
    task.written = flags & IS_DETACHED ? sizeof task.first[0] : 0;
    next(execute_task, &task, copy_task, (long)task.offset + size, align > 16 ? align : 16, is_deferred,
         flags, depend, priority, detach);
}

#define TASK_LOOP(name, number)                                                                              \
    AA_EXPORT void name(body *function, void *data, copy_data *copy, long size, long align, unsigned flags,  \
                        unsigned long tasks, int priority, number start, number end, number step);           \
    AA_EXPORT void name(body *function, void *data, copy_data *copy, long size, long align, unsigned flags,  \
                        unsigned long tasks, int priority, number start, number end, number step) {          \
        __typeof__(name) *next = NEXT(name);                                                                 \
        if (!is_recorded()) {                                                                                \
            next(function, data, copy, size, align, flags, tasks, priority, start, end, step);               \
            return;                                                                                          \
        }                                                                                                    \
        struct task task = task_of(function, data, copy, size, align);                                       \
        task.written = sizeof task.first;                                                                    \
        bool outermost = aa_share_begin(AA_SHARE_OMP);                                                       \
        next(execute_task, &task, copy_task, (long)task.offset + size, align > 16 ? align : 16, flags,       \
             tasks, priority, start, end, step);                                                             \
        aa_share_end(outermost);                                                                             \
    }

TASK_LOOP(GOMP_taskloop, long)
TASK_LOOP(GOMP_taskloop_ull, unsigned long long)

/* ---- waiting for other threads */

#define WAIT(name, result, keep, declared, passed)                                                           \
    AA_EXPORT result name declared;                                                                          \
    AA_EXPORT result name declared {                                                                         \
        __typeof__(name) *next = NEXT(name);                                                                 \
        bool outermost = is_recorded() && aa_share_begin(AA_SHARE_OMP);                                      \
        keep next passed;                                                                                    \
        if (is_recorded())                                                                                   \
            aa_share_end(outermost);
#define WAIT_FOR_ALL(name, declared, passed)                                                                 \
    WAIT(name, void, , declared, passed)                                                                     \
    }
#define WAIT_UNLESS_CANCELLED(name)                                                                          \
    WAIT(name, bool, bool is_cancelled =, (void), ()) return is_cancelled;                                   \
    }

WAIT_FOR_ALL(GOMP_barrier, (void), ())
WAIT_FOR_ALL(GOMP_loop_end, (void), ())
WAIT_FOR_ALL(GOMP_sections_end, (void), ())
WAIT_FOR_ALL(GOMP_taskwait, (void), ())
WAIT_FOR_ALL(GOMP_taskwait_depend, (void **depend), (depend))
WAIT_FOR_ALL(GOMP_taskgroup_end, (void), ())
WAIT_FOR_ALL(GOMP_single_copy_end, (void *data), (data))
WAIT_FOR_ALL(GOMP_workshare_task_reduction_unregister, (bool is_cancelled), (is_cancelled))
WAIT_FOR_ALL(GOMP_ordered_start, (void), ())
WAIT_FOR_ALL(GOMP_critical_start, (void), ())
WAIT_FOR_ALL(GOMP_critical_name_start, (void **name), (name))
WAIT_UNLESS_CANCELLED(GOMP_barrier_cancel)
WAIT_UNLESS_CANCELLED(GOMP_loop_end_cancel)
WAIT_UNLESS_CANCELLED(GOMP_sections_end_cancel)
WAIT(GOMP_single_copy_start, void *, void *copied =, (void), ()) return copied;
}
