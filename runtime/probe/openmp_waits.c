#define _GNU_SOURCE
#include "openmp_waits.h"
#include "call_site.h"
#include "counter.h"
#include "fork.h"
#include "memory.h"
#include "probe.h"
#include "self.h"

#include <string.h>

#define PLACES (1u << 17) /* a power of two; the system only provides memory for slots that are used */
#define LONGEST_SEARCH 64u
/* a power of two; many more than the locks in use at once, so that two rarely share a count */
#define GATES (1u << 13)

typedef struct aa_wait *_Atomic place;

struct table {
    place places[PLACES]; /* open addressing */
    struct {
        _Alignas(64) _Atomic int32_t threads;
    } gates[GATES];
};

static struct table *_Atomic the_table;
static _Atomic bool is_full; /* whether the shard has no memory for further records */
static struct aa_wait gone;  /* marks the former slot of a record of an unloaded library */

static struct table *table(void) {
    struct table *known = atomic_load_explicit(&the_table, memory_order_acquire);
    if (known)
        return known;
    aa_counter_stop();
    struct table *made = aa_memory_map(sizeof *made);
    aa_counter_go();
    if (!made || atomic_compare_exchange_strong(&the_table, &known, made))
        return made;
    aa_memory_unmap(made, sizeof *made);
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
    aa_counter_stop();
    size_t length = strlen(descriptor);
    aa_shard_lock();
    struct aa_wait *wait = aa_shard_append(AA_RECORD_WAIT, sizeof *wait + length + 1);
    if (!wait) {
        is_full = true;
    } else {
        wait->kind = kind;
        wait->node = (uint32_t)(((char *)node - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
        wait->length = (uint32_t)length;
        wait->at = node;
        wait->returns_to = returns_to;
        memcpy(wait->descriptor, descriptor, length);
        aa_shard_publish();
    }
    aa_shard_unlock();
    aa_counter_go();
    aa_section_end(section);
    return wait;
}

/*
 * Returns the slot of a record, or a free slot, which another thread may take before the caller does; null if
 * no slot nearby is free. found: the record in the slot, null or &gone.
 */
static place *look_up(enum aa_wait_kind kind, const struct aa_node *node, const void *returns_to,
                      struct aa_wait **found) {
    struct table *own = table();
    uint64_t start = ((uintptr_t)node >> 6 ^ (uintptr_t)returns_to) * 0x9e3779b97f4a7c15u >> 32;
    place *left = NULL;
    for (uint64_t i = start; own && i < start + LONGEST_SEARCH; i++) {
        place *here = &own->places[i % PLACES];
        struct aa_wait *wait = atomic_load_explicit(here, memory_order_acquire);
        if (wait && wait->at == node && wait->returns_to == returns_to && wait->kind == kind) {
            *found = wait;
            return here;
        }
        if (wait == &gone && !left)
            left = here;
        if (!wait) {
            *found = left ? &gone : NULL;
            return left ? left : here;
        }
    }
    *found = &gone;
    return left;
}

/* Creates a record, unless a signal handler has just created it. Each thread creates only its own records, so
 * no record is created twice. */
static struct aa_wait *make(enum aa_wait_kind kind, struct aa_node *node, const void *returns_to) {
    struct aa_wait *made = NULL, *found;
    struct aa_section section = aa_section_begin();
    place *here = look_up(kind, node, returns_to, &found);
    while (here && (!found || found == &gone)) {
        if (!made)
            made = append(kind, node, returns_to);
        if (!made || atomic_compare_exchange_strong(here, &found, made))
            found = made, here = NULL;
        else
            here = look_up(kind, node, returns_to, &found);
    }
    aa_section_end(section);
    return found == &gone ? NULL : found;
}

struct aa_wait *aa_wait_enter(enum aa_wait_kind kind, const void *returns_to) {
    struct aa_node *node = aa_thread_self->current;
    struct aa_wait *wait;
    place *here = look_up(kind, node, returns_to, &wait);
    if (!wait || wait == &gone)
        wait = here && !is_full && !aa_thread_closed ? make(kind, node, returns_to) : NULL;
    if (wait)
        wait->entries++;
    return wait;
}

void aa_wait_forget(struct aa_span span) {
    struct table *known = atomic_load_explicit(&the_table, memory_order_acquire);
    for (size_t i = 0; known && i < PLACES; i++) {
        struct aa_wait *wait = atomic_load_explicit(&known->places[i], memory_order_acquire);
        if (wait && aa_span_has(span, (uintptr_t)wait->returns_to))
            atomic_store_explicit(&known->places[i], &gone, memory_order_release);
    }
}

/* ---- waiting */

/* The place in which this thread waits (null: none), and the node's times at the beginning of the wait. */
static _Thread_local struct {
    struct aa_wait *wait;
    int64_t wall, off;
} now AA_INITIAL_EXEC;

/* Adds the thread's wait up to now to its place, and continues the wait in another place. */
static void turn_to(struct aa_wait *wait) {
    if (now.wait) {
        now.wait->waited += now.wait->at->wall[AA_OMP] - now.wall;
        now.wait->waited_off += now.wait->at->off[AA_OMP] - now.off;
    }
    now.wait = wait;
    if (wait)
        now.wall = wait->at->wall[AA_OMP], now.off = wait->at->off[AA_OMP];
}

struct aa_waiting aa_wait_begin(struct aa_wait *wait) {
    struct aa_waiting waiting = {now.wait, true, aa_share_begin(AA_OMP | AA_IN_OMP)};
    if (waiting.is_outermost)
        turn_to(wait);
    return waiting;
}

void aa_wait_end(struct aa_waiting waiting) {
    if (!waiting.has_begun)
        return;
    aa_share_end(waiting.is_outermost);
    if (waiting.is_outermost)
        turn_to(waiting.around);
}

/* ---- locks: the number of threads that hold a lock or wait for it */

/* Returns the count of a lock; null before any thread has entered a place. */
static _Atomic int32_t *gate_of(const void *lock) {
    struct table *known = atomic_load_explicit(&the_table, memory_order_acquire);
    return known ? &known->gates[((uintptr_t)lock * 0x9e3779b97f4a7c15u >> 32) % GATES].threads : NULL;
}

bool aa_lock_asked(struct aa_wait *wait, const void *lock) {
    _Atomic int32_t *gate = gate_of(lock);
    bool contended = gate && atomic_fetch_add_explicit(gate, 1, memory_order_relaxed) > 0;
    if (wait)
        wait->contended += contended;
    return contended || aa_counting;
}

/* Prevents negative counts, because threads may have requested the lock before there were counts. */
void aa_lock_given_back(const void *lock) {
    _Atomic int32_t *gate = gate_of(lock);
    int32_t threads = gate ? atomic_load_explicit(gate, memory_order_relaxed) : 0;
    while (threads > 0 && !atomic_compare_exchange_weak(gate, &threads, threads - 1))
        ;
}

/* ---- forks */

/* Empties the table in the child of a fork, which has its own shard and no other threads. */
static void forget(void) {
    struct table *known = atomic_exchange(&the_table, NULL);
    if (known)
        aa_memory_unmap(known, sizeof *known);
    is_full = false;
}

__attribute__((constructor)) static void watch_forks(void) {
    aa_fork_watch(NULL, forget);
}
