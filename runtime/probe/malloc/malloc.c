/*
 * A separate library, preloaded beside the probe library only if allocations are counted. It wraps the
 * program's own allocator, and reports allocated and freed bytes to the probe library. Calls are passed on
 * without a report until the probe library requests reports. They are never reported if the program calls
 * another allocator directly or runs under a sanitizer. Bytes are those that the allocator provides, which
 * may be more than requested, so that freed bytes can be subtracted from allocated bytes.
 */
#define _GNU_SOURCE
#include "allocation.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#define EARLY_ROOM ((size_t)32 << 10) /* bytes; dlsym allocates at most a few hundred */
#define ALIGNMENT sizeof(max_align_t)

static struct {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*malloc_usable_size)(void *);
} next;

static aa_allocation_watcher *_Atomic watcher;
static _Thread_local bool searching INITIAL_EXEC; /* true inside dlsym, which may allocate */
/* true inside the allocator, which may call its own public functions */
static _Thread_local bool inside INITIAL_EXEC;

/* ---- before the allocator is found */

static struct {
    _Alignas(max_align_t) char bytes[EARLY_ROOM];
    _Atomic size_t used;
} early;

static void *take_early(size_t size) {
    size_t room = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t at = room <= EARLY_ROOM ? __atomic_fetch_add(&early.used, room, __ATOMIC_RELAXED) : EARLY_ROOM;
    return at + room <= EARLY_ROOM ? early.bytes + at : NULL;
}

static bool is_early(const void *memory) {
    return (uintptr_t)memory - (uintptr_t)early.bytes < EARLY_ROOM;
}

static bool find(void) {
    static const struct {
        const char *name;
        void *function;
    } wanted[] = {
        {"free", &next.free},
        {"calloc", &next.calloc},
        {"realloc", &next.realloc},
        {"memalign", &next.memalign},
        {"aligned_alloc", &next.aligned_alloc},
        {"posix_memalign", &next.posix_memalign},
        {"valloc", &next.valloc},
        {"pvalloc", &next.pvalloc},
        {"malloc_usable_size", &next.malloc_usable_size},
        {"malloc", &next.malloc}, /* set last, after all others */
    };
    if (searching)
        return false;
    searching = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = dlsym(RTLD_NEXT, wanted[i].name);
        __atomic_store((void **)wanted[i].function, &symbol, __ATOMIC_RELEASE);
    }
    searching = false;
    return next.malloc;
}

static inline bool is_found(void) {
    return __builtin_expect(__atomic_load_n(&next.malloc, __ATOMIC_ACQUIRE) != NULL, 1) || find();
}

static __attribute__((constructor)) void find_at_load(void) {
    is_found();
}

/* ---- reporting */

static size_t size_of(void *memory) {
    return memory && !is_early(memory) ? next.malloc_usable_size(memory) : 0;
}

/*
 * Returns the callback to which to report the call; null if the call is part of another call, or if nothing
 * is reported.
 */
static inline aa_allocation_watcher *listener(void) {
    return __builtin_expect(watcher != NULL, 0) && !inside ? watcher : NULL;
}

static void *told(aa_allocation_watcher *tell, void *memory) {
    if (memory)
        tell(size_of(memory), 0, 1, 0);
    return memory;
}

/* ---- the functions */

#define CALL(expression)                                                                                     \
    ({                                                                                                       \
        inside = true;                                                                                       \
        void *given = (expression);                                                                          \
        inside = false;                                                                                      \
        given;                                                                                               \
    })

static void *own_malloc(size_t size) {
    if (!is_found())
        return take_early(size);
    aa_allocation_watcher *tell = listener();
    return tell ? told(tell, CALL(next.malloc(size))) : next.malloc(size);
}

EXPORT void *malloc(size_t size) __attribute__((alias("own_malloc")));

EXPORT void *calloc(size_t count, size_t size) {
    if (!is_found()) /* early memory is zeroed, and never reused */
        return size && count > EARLY_ROOM / size ? NULL : take_early(count * size);
    aa_allocation_watcher *tell = listener();
    return tell ? told(tell, CALL(next.calloc(count, size))) : next.calloc(count, size);
}

EXPORT void free(void *memory) {
    if (!memory || is_early(memory) || !is_found())
        return;
    aa_allocation_watcher *tell = listener();
    if (!tell) {
        next.free(memory);
        return;
    }
    tell(0, size_of(memory), 0, 1);
    inside = true;
    next.free(memory);
    inside = false;
}

static void *moved(void *memory, size_t size) {
    size_t room = (size_t)(early.bytes + EARLY_ROOM - (char *)memory);
    void *copy = own_malloc(size);
    return copy ? memcpy(copy, memory, size < room ? size : room) : NULL;
}

/* Counts as freeing the old block and allocating a new one, even if the block does not move. */
EXPORT void *realloc(void *memory, size_t size) {
    if (is_early(memory))
        return moved(memory, size);
    if (!is_found())
        return memory ? NULL : take_early(size);
    aa_allocation_watcher *tell = listener();
    if (!tell)
        return next.realloc(memory, size);
    size_t before = size_of(memory);
    void *given = CALL(next.realloc(memory, size));
    if (given || (memory && !size))
        tell(size_of(given), before, given != NULL, memory != NULL);
    return given;
}

#define ALIGNED(name, call)                                                                                  \
    {                                                                                                        \
        if (!is_found() || !next.name) {                                                                     \
            errno = ENOMEM;                                                                                  \
            return NULL;                                                                                     \
        }                                                                                                    \
        aa_allocation_watcher *tell = listener();                                                            \
        return tell ? told(tell, CALL(call)) : call;                                                         \
    }

EXPORT void *memalign(size_t alignment, size_t size) ALIGNED(memalign, next.memalign(alignment, size));
EXPORT void *aligned_alloc(size_t alignment, size_t size)
    ALIGNED(aligned_alloc, next.aligned_alloc(alignment, size));
EXPORT void *valloc(size_t size) ALIGNED(valloc, next.valloc(size));
EXPORT void *pvalloc(size_t size) ALIGNED(pvalloc, next.pvalloc(size));

EXPORT int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (!is_found() || !next.posix_memalign)
        return ENOMEM;
    aa_allocation_watcher *tell = listener();
    if (!tell)
        return next.posix_memalign(memory, alignment, size);
    inside = true;
    int error = next.posix_memalign(memory, alignment, size);
    inside = false;
    if (!error)
        told(tell, *memory);
    return error;
}

/* ---- requests from the probe library */

static bool heard;

static void hear(uint64_t allocated, uint64_t freed, uint32_t allocations, uint32_t frees) {
    heard |= allocated && allocations && !freed && !frees;
}

/*
 * Returns whether the program calls this library's malloc. Addresses cannot be compared, because a program at
 * a fixed address that takes malloc's address gets that of an entry in its own jump table.
 */
static bool is_called(void) {
    void *symbols[] = {dlsym(RTLD_DEFAULT, "malloc"), dlsym(RTLD_DEFAULT, "free")};
    void *(*allocate)(size_t);
    void (*release)(void *);
    memcpy(&allocate, &symbols[0], sizeof allocate);
    memcpy(&release, &symbols[1], sizeof release);
    watcher = hear;
    void *memory = allocate(1);
    watcher = NULL;
    release(memory);
    return heard;
}

EXPORT const char *aa_allocation_watch(aa_allocation_watcher *tell) {
    static const char *const sanitizers[] = {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"};
    for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++) {
        if (dlsym(RTLD_DEFAULT, sanitizers[i]))
            return "a sanitizer replaces the program's allocator";
    }
    if (!is_found() || !next.malloc_usable_size)
        return "the allocator does not report the size of a block";
    if (!is_called())
        return "the program has its own allocator";
    watcher = tell;
    return NULL;
}
