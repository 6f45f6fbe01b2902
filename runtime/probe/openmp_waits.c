#define _GNU_SOURCE
#include "openmp_waits.h"
#include "call_site.h"
#include "counter.h"
#include "fork.h"
#include "memory.h"
#include "probe.h"
#include "self.h"

#include <string.h>

#define PLACES (1u << 17) /* a power of two; memory is taken as it is used */
#define LONGEST_SEARCH 64u
#define GATES 1024u /* a power of two: so many more than threads that two locks rarely share one */

typedef struct aa_wait *_Atomic place;

static place *_Atomic places; /* open addressing */

static place *table(void) {
    place *known = atomic_load_explicit(&places, memory_order_acquire);
    if (known)
        return known;
    place *made = aa_memory_map(PLACES * sizeof *made);
    if (!made || atomic_compare_exchange_strong(&places, &known, made))
        return made;
    aa_memory_unmap(made, PLACES * sizeof *made);
    return known;
}

/* ---- places */

static const char *const kinds[] = {
#define KIND(name) "aa1|wait|" name "|||0|0|0"
    [AA_WAIT_CRITICAL] = KIND("critical"), [AA_WAIT_ATOMIC] = KIND("atomic"), [AA_WAIT_LOCK] = KIND("lock"),
    [AA_WAIT_ORDERED] = KIND("ordered"),   [AA_WAIT_SINGLE] = KIND("single"), [AA_WAIT_TASKS] = KIND("tasks"),
    [AA_WAIT_BARRIER] = KIND("barrier"),
};

static struct aa_wait *append(enum aa_wait_kind kind, struct aa_node *node, const void *returns_to) {
    struct aa_section section = aa_section_begin();
    const char *descriptor = aa_call_site(kinds[kind], returns_to);
    size_t length = strlen(descriptor);
    aa_shard_lock();
    struct aa_wait *wait = aa_shard_append(AA_RECORD_WAIT, sizeof *wait + length + 1);
    if (wait) {
        wait->kind = kind;
        wait->node = (uint32_t)(((char *)node - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
        wait->length = (uint32_t)length;
        wait->at = node;
        wait->returns_to = returns_to;
        memcpy(wait->descriptor, descriptor, length);
        aa_shard_publish();
    }
    aa_shard_unlock();
    aa_section_end(section);
    return wait;
}

/* Where it is, or a free place, which another thread may take meanwhile; null if the table is crowded. */
static place *look_up(enum aa_wait_kind kind, const struct aa_node *node, const void *returns_to) {
    place *first = table();
    uint64_t start = ((uintptr_t)node >> 6 ^ (uintptr_t)returns_to) * 0x9e3779b97f4a7c15u >> 32;
    for (uint64_t i = start; first && i < start + LONGEST_SEARCH; i++) {
        const struct aa_wait *wait = atomic_load_explicit(&first[i % PLACES], memory_order_acquire);
        if (!wait || (wait->at == node && wait->returns_to == returns_to && wait->kind == kind))
            return &first[i % PLACES];
    }
    return NULL;
}

struct aa_wait *aa_wait_find(enum aa_wait_kind kind, const void *returns_to) {
    const struct aa_thread *thread = aa_thread_self;
    place *found = thread ? look_up(kind, thread->current, returns_to) : NULL;
    return found ? atomic_load_explicit(found, memory_order_acquire) : NULL;
}

/* Only its own thread looks for a record, so that a record is made once. */
static struct aa_wait *make(enum aa_wait_kind kind, const void *returns_to) {
    struct aa_node *node = aa_thread_self->current;
    struct aa_wait *made = aa_thread_closed ? NULL : append(kind, node, returns_to), *none = NULL;
    place *free_place = made ? look_up(kind, node, returns_to) : NULL;
    while (free_place && !atomic_compare_exchange_strong(free_place, &none, made)) {
        free_place = look_up(kind, node, returns_to);
        none = NULL;
    }
    return free_place ? made : NULL;
}

struct aa_wait *aa_wait_enter(enum aa_wait_kind kind, const void *returns_to) {
    struct aa_wait *wait = aa_wait_find(kind, returns_to);
    if (!wait && table())
        wait = make(kind, returns_to);
    if (wait)
        wait->entries++;
    return wait;
}

/* ---- waiting */

bool aa_wait_begin(struct aa_wait *wait) {
    bool outermost = aa_share_begin(AA_OMP | AA_IN_OMP);
    if (wait && outermost)
        wait->wall = wait->at->wall[AA_OMP], wait->off = wait->at->off[AA_OMP];
    return outermost;
}

void aa_wait_end(struct aa_wait *wait, bool outermost) {
    aa_share_end(outermost);
    if (!wait || !outermost)
        return;
    wait->waited += wait->at->wall[AA_OMP] - wait->wall;
    wait->waited_off += wait->at->off[AA_OMP] - wait->off;
}

/* ---- locks: how many threads hold one, or wait for it */

static struct { _Alignas(64) _Atomic int32_t threads; } gates[GATES];

static _Atomic int32_t *gate_of(const void *lock) {
    return &gates[((uintptr_t)lock * 0x9e3779b97f4a7c15u >> 32) % GATES].threads;
}

bool aa_lock_asked(struct aa_wait *wait, const void *lock) {
    bool contended = atomic_fetch_add_explicit(gate_of(lock), 1, memory_order_relaxed) > 0;
    if (wait)
        wait->contended += contended;
    return contended || aa_counting;
}

void aa_lock_given_back(const void *lock) {
    atomic_fetch_sub_explicit(gate_of(lock), 1, memory_order_relaxed);
}

/* ---- forks */

/* The child has a shard of its own, and its threads are gone. */
static void forget(void) {
    place *known = atomic_exchange(&places, NULL);
    if (known)
        aa_memory_unmap(known, PLACES * sizeof *known);
}

__attribute__((constructor)) static void watch_forks(void) {
    aa_fork_watch(NULL, forget);
}
