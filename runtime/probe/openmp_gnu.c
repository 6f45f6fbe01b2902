/*
 * The functions of GNU's OpenMP library that compilers call: parallel regions, tasks, and threads that wait
 * for each other. LLVM's library has these functions, too; if it reports its own events (openmp_tool.c), the
 * wrappers only pass calls on.
 */
#define _GNU_SOURCE
#include "openmp.h"
#include "openmp_waits.h"
#include "probe.h"
#include "symbol.h"
#include "team.h"
#include "self.h"
#include "thread.h"
#include "turn.h"

#include <stdatomic.h>
#include <stddef.h>
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
    int (*function)(void) = (int (*)(void))atomic_load_explicit(known, memory_order_acquire);
    if (!function)
        function = (int (*)(void))aa_symbol_next(known, name, NULL, accept);
    return function ? function() : 0;
}

/* ---- parallel regions */

struct region {
    void *reductions; /* must be at the beginning of the data, where libgomp looks for reductions */
    body *body;
    void *data;
    struct aa_team team;
};

/* Returns the thread's number in its team. Only a thread without a tree needs it. */
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
    struct aa_turn turn = aa_turn_begin(region->team.origin, &region->team, number());
    region->body(region->data);
    aa_turn_end(turn);
}

/* Calls a function of libgomp with which all threads execute a parallel region. */
#define IN_PARALLEL(threads, call)                                                                           \
    do {                                                                                                     \
        uint32_t room = room_for(threads);                                                                   \
        struct aa_thread *members[room + 1];                                                                 \
        struct region region = {NULL, function, data, {.room = 0}};                                          \
        aa_team_open(&region.team, members, room);                                                           \
        call;                                                                                                \
        aa_team_close(&region.team);                                                                         \
    } while (0)

/* Wraps a function that calls another function in all threads; its arguments are passed on with the data. */
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

/* Equal to GOMP_TASK_FLAG_IF, GOMP_TASK_FLAG_REDUCTION and GOMP_TASK_FLAG_DETACH in GCC's
 * gomp-constants.h. */
enum { IS_DEFERRED = 1 << 10, HAS_REDUCTIONS = 1 << 12, IS_DETACHED = 1 << 13 };

/* The beginning of a task's data. libgomp writes the first two fields and reads the third. */
struct head {
    uint64_t first; /* the first iteration of a loop; the event of a detached task */
    uint64_t last;
    void *reductions; /* the reductions of a loop, if it has any */
};

_Static_assert(sizeof(long) == sizeof(uint64_t), "libgomp stores iteration numbers as long");

/*
 * Precedes a task's data. If there is no copy function, the data follow directly, and libgomp copies or uses
 * them as it would the program's own data; all tasks of a loop may then be executed in the same memory.
 */
struct task {
    struct head head;
    uint64_t written; /* size of the head, in bytes */
    uint64_t offset;  /* offset of the data, in bytes */
    body *body;
    copy_data *copy;
    void *data;
    struct aa_origin origin;
};

static void copy_task(void *to, void *from) {
    const struct task *task = from;
    memcpy(to, from, sizeof *task);
    task->copy((char *)to + task->offset, task->data);
}

static void execute_task(void *beginning) {
    const struct task *task = beginning;
    void *data = (char *)beginning + task->offset;
    memcpy(data, &task->head, task->written);
    struct aa_turn turn = aa_turn_begin(task->origin, NULL, number());
    task->body(data);
    aa_turn_end(turn);
}

#define MOST_DATA (64l << 10) /* bytes; larger data are not copied to the stack */

/*
 * Tasks that the calling thread executes inside the call already have the right call path, so they are not
 * wrapped. Tasks of a loop with a copy function are not wrapped either, because all of them would be on the
 * stack at once, and it only has space for the program's own data.
 */
static bool is_wrapped(bool is_deferred, long size) {
    static void *_Atomic level, *_Atomic in_final;
    return is_recorded() && is_deferred && size <= MOST_DATA && ask(&level, "omp_get_level") > 0 &&
           !ask(&in_final, "omp_in_final");
}

static size_t alignment_of(long align) {
    return align > 16 ? (size_t)align : 16;
}

static size_t room_for_task(long size, long align) {
    return sizeof(struct task) + (size_t)size + 2 * alignment_of(align);
}

/* Creates a task in the given memory, with the head of its data. */
static struct task *make_task(char *room, struct task task, long size, long align) {
    size_t alignment = alignment_of(align);
    struct task *made = (void *)(((uintptr_t)room + alignment - 1) / alignment * alignment);
    task.offset = (sizeof task + alignment - 1) / alignment * alignment;
    task.origin = aa_task_origin();
    *made = task;
    if (!task.copy && size > 0)
        memcpy((char *)made + task.offset, task.data, (size_t)size);
    return made;
}

/* The arguments that libgomp gets for a task: its data, copy function, size and alignment. */
#define AS_DATA(task, size, align)                                                                           \
    task, (task)->copy ? copy_task : NULL, (long)(task)->offset + (size), (long)alignment_of(align)

AA_EXPORT void GOMP_task(body *function, void *data, copy_data *copy, long size, long align, bool is_deferred,
                         unsigned flags, void **depend, int priority, void *detach);
AA_EXPORT void GOMP_task(body *function, void *data, copy_data *copy, long size, long align, bool is_deferred,
                         unsigned flags, void **depend, int priority, void *detach) {
    __typeof__(GOMP_task) *next = NEXT(GOMP_task);
    if (!is_wrapped(is_deferred, size)) {
        next(function, data, copy, size, align, is_deferred, flags, depend, priority, detach);
        return;
    }
    char room[room_for_task(size, align)];
    struct task task = {.body = function, .copy = copy, .data = data};
    task.written = flags & IS_DETACHED && data ? sizeof task.head.first : 0;
    struct task *made = make_task(room, task, size, align);
    next(execute_task, AS_DATA(made, size, align), is_deferred, flags, depend, priority, detach);
}

#define TASK_LOOP(name, number)                                                                              \
    AA_EXPORT void name(body *function, void *data, copy_data *copy, long size, long align, unsigned flags,  \
                        unsigned long tasks, int priority, number start, number end, number step);           \
    AA_EXPORT void name(body *function, void *data, copy_data *copy, long size, long align, unsigned flags,  \
                        unsigned long tasks, int priority, number start, number end, number step) {          \
        __typeof__(name) *next = NEXT(name);                                                                 \
        if (!is_wrapped(flags & IS_DEFERRED, size)) {                                                        \
            next(function, data, copy, size, align, flags, tasks, priority, start, end, step);               \
            return;                                                                                          \
        }                                                                                                    \
        char room[room_for_task(size, align)];                                                               \
        struct task task = {.body = function, .copy = copy, .data = data};                                   \
        task.written = offsetof(struct head, reductions);                                                    \
        if (flags & HAS_REDUCTIONS)                                                                          \
            task.head.reductions = ((struct head *)data)->reductions;                                        \
        struct task *made = make_task(room, task, size, align);                                              \
        struct aa_waiting waiting = aa_wait_begin(NULL);                                                     \
        next(execute_task, AS_DATA(made, size, align), flags, tasks, priority, start, end, step);            \
        aa_wait_end(waiting);                                                                                \
    }

TASK_LOOP(GOMP_taskloop, long)
TASK_LOOP(GOMP_taskloop_ull, unsigned long long)

/* ---- waiting for other threads */

/* If the library reports its own events, it needs the program's return address, so `next` is a tail call. */
#define WAIT(kind, name, result, keep, declared, passed, begin, end)                                         \
    AA_EXPORT result name declared;                                                                          \
    AA_EXPORT result name declared {                                                                         \
        __typeof__(name) *next = NEXT(name);                                                                 \
        if (!is_recorded())                                                                                  \
            return next passed;                                                                              \
        struct aa_wait *wait = aa_wait_enter(kind, __builtin_return_address(0));                             \
        struct aa_waiting waiting = begin(wait);                                                             \
        keep next passed;                                                                                    \
        end;
#define WAIT_UNTIL(kind, name, declared, passed)                                                             \
    WAIT(kind, name, void, , declared, passed, aa_wait_begin, aa_wait_end(waiting))                          \
    }
#define BARRIER(name, result, keep, declared, passed, is_cancelled)                                          \
    WAIT(AA_WAIT_BARRIER, name, result, keep, declared, passed, aa_team_barrier_begin,                       \
         aa_team_barrier_end(waiting, is_cancelled))
#define BARRIER_OF_ALL(name)                                                                                 \
    BARRIER(name, void, , (void), (), false)                                                                 \
    }
#define BARRIER_UNLESS_CANCELLED(name)                                                                       \
    BARRIER(name, bool, bool is_cancelled =, (void), (), is_cancelled)                                       \
    return is_cancelled;                                                                                     \
    }

BARRIER_OF_ALL(GOMP_barrier)
BARRIER_OF_ALL(GOMP_loop_end)
BARRIER_OF_ALL(GOMP_sections_end)
BARRIER(GOMP_workshare_task_reduction_unregister, void, , (bool is_cancelled), (is_cancelled), is_cancelled)
}
BARRIER_UNLESS_CANCELLED(GOMP_barrier_cancel)
BARRIER_UNLESS_CANCELLED(GOMP_loop_end_cancel)
BARRIER_UNLESS_CANCELLED(GOMP_sections_end_cancel)
WAIT_UNTIL(AA_WAIT_TASKS, GOMP_taskwait, (void), ())
WAIT_UNTIL(AA_WAIT_TASKS, GOMP_taskwait_depend, (void **depend), (depend))
WAIT_UNTIL(AA_WAIT_TASKS, GOMP_taskgroup_end, (void), ())
WAIT_UNTIL(AA_WAIT_SINGLE, GOMP_single_copy_end, (void *data), (data))
WAIT_UNTIL(AA_WAIT_ORDERED, GOMP_ordered_start, (void), ())
/* The thread that executes the block does not wait. */
WAIT(AA_WAIT_SINGLE, GOMP_single_copy_start, void *, void *copied =, (void), (), aa_wait_begin,
     aa_wait_end(waiting))
if (!copied && wait)
    wait->entries--;
return copied;
}

/* ---- locks */

#define LOCK(kind, name, declared, passed, lock)                                                             \
    AA_EXPORT void name declared;                                                                            \
    AA_EXPORT void name declared {                                                                           \
        __typeof__(name) *next = NEXT(name);                                                                 \
        if (aa_openmp_tells)                                                                                 \
            return next passed;                                                                              \
        struct aa_wait *wait = aa_thread_self ? aa_wait_enter(kind, __builtin_return_address(0)) : NULL;     \
        struct aa_waiting waiting = {.has_begun = false};                                                    \
        if (aa_lock_asked(wait, lock))                                                                       \
            waiting = aa_wait_begin(wait);                                                                   \
        next passed;                                                                                         \
        aa_wait_end(waiting);                                                                                \
    }
#define UNLOCK(name, declared, passed, lock)                                                                 \
    AA_EXPORT void name declared;                                                                            \
    AA_EXPORT void name declared {                                                                           \
        __typeof__(name) *next = NEXT(name);                                                                 \
        if (!aa_openmp_tells)                                                                                \
            aa_lock_given_back(lock);                                                                        \
        next passed;                                                                                         \
    }
#define TRY_LOCK(name)                                                                                       \
    AA_EXPORT int name(void *lock);                                                                          \
    AA_EXPORT int name(void *lock) {                                                                         \
        __typeof__(name) *next = NEXT(name);                                                                 \
        aa_openmp_tries = true;                                                                              \
        int taken = next(lock);                                                                              \
        aa_openmp_tries = false;                                                                             \
        if (taken == 1 && !aa_openmp_tells)                                                                  \
            aa_lock_asked(NULL, lock);                                                                       \
        return taken;                                                                                        \
    }

static const char unnamed, atomic; /* their addresses represent libgomp's own locks */

LOCK(AA_WAIT_CRITICAL, GOMP_critical_start, (void), (), &unnamed)
UNLOCK(GOMP_critical_end, (void), (), &unnamed)
LOCK(AA_WAIT_CRITICAL, GOMP_critical_name_start, (void **name), (name), name)
UNLOCK(GOMP_critical_name_end, (void **name), (name), name)
LOCK(AA_WAIT_ATOMIC, GOMP_atomic_start, (void), (), &atomic)
UNLOCK(GOMP_atomic_end, (void), (), &atomic)
LOCK(AA_WAIT_LOCK, omp_set_lock, (void *lock), (lock), lock)
UNLOCK(omp_unset_lock, (void *lock), (lock), lock)
TRY_LOCK(omp_test_lock)
LOCK(AA_WAIT_LOCK, omp_set_lock_, (void *lock), (lock), lock)
UNLOCK(omp_unset_lock_, (void *lock), (lock), lock)
TRY_LOCK(omp_test_lock_)

/* Tries to enter a nested lock, because only this shows how many times its holder has entered it. Returns the
 * number of entries, including this one; 0 if another thread holds the lock. */
static int entered(void *_Atomic *known, const char *test, void *lock) {
    int (*function)(void *) = (int (*)(void *))atomic_load_explicit(known, memory_order_acquire);
    if (!function)
        function = (int (*)(void *))aa_symbol_next(known, test, NULL, accept);
    return function ? function(lock) : 0;
}

#define NESTED_LOCK(name, test)                                                                              \
    AA_EXPORT void name(void *lock);                                                                         \
    AA_EXPORT void name(void *lock) {                                                                        \
        static void *_Atomic known;                                                                          \
        __typeof__(name) *next = NEXT(name);                                                                 \
        if (aa_openmp_tells)                                                                                 \
            return next(lock);                                                                               \
        int entries = entered(&known, #test, lock);                                                          \
        if (entries > 1)                                                                                     \
            return;                                                                                          \
        struct aa_wait *wait =                                                                               \
            aa_thread_self ? aa_wait_enter(AA_WAIT_LOCK, __builtin_return_address(0)) : NULL;                \
        aa_lock_asked(wait, lock);                                                                           \
        if (entries)                                                                                         \
            return;                                                                                          \
        struct aa_waiting waiting = aa_wait_begin(wait);                                                     \
        next(lock);                                                                                          \
        aa_wait_end(waiting);                                                                                \
    }
#define NESTED_UNLOCK(name, test)                                                                            \
    AA_EXPORT void name(void *lock);                                                                         \
    AA_EXPORT void name(void *lock) {                                                                        \
        static void *_Atomic known;                                                                          \
        __typeof__(name) *next = NEXT(name);                                                                 \
        int entries = aa_openmp_tells ? 0 : entered(&known, #test, lock);                                    \
        if (entries == 2)                                                                                    \
            aa_lock_given_back(lock);                                                                        \
        if (entries)                                                                                         \
            next(lock);                                                                                      \
        next(lock);                                                                                          \
    }

NESTED_LOCK(omp_set_nest_lock, omp_test_nest_lock)
NESTED_UNLOCK(omp_unset_nest_lock, omp_test_nest_lock)
TRY_LOCK(omp_test_nest_lock)
NESTED_LOCK(omp_set_nest_lock_, omp_test_nest_lock_)
NESTED_UNLOCK(omp_unset_nest_lock_, omp_test_nest_lock_)
TRY_LOCK(omp_test_nest_lock_)
