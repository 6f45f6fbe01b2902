#define _GNU_SOURCE
#include "mpi_request_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

/* number of requests, enough for the halo exchanges of most programs, so that the table rarely grows */
#define FIRST_CAPACITY 1024

static struct aa_request first_slots[FIRST_CAPACITY];

static struct {
    struct aa_request *slots;
    size_t capacity;             /* a power of two */
    _Atomic size_t used, asking; /* asking: the number of entries with a question */
    _Atomic uint64_t serial;
    _Atomic bool shared;
    pthread_mutex_t lock;
} table = {.slots = first_slots, .capacity = FIRST_CAPACITY, .lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void) {
    if (table.shared)
        pthread_mutex_lock(&table.lock);
}

static void unlock(void) {
    if (table.shared)
        pthread_mutex_unlock(&table.lock);
}

static bool is_alike(const struct aa_request *one, const struct aa_request *other) {
    return !one->peers && !other->peers && !one->beside && !other->beside && !one->question &&
           !other->question && one->brings == AA_BRINGS_NOTHING && other->brings == AA_BRINGS_NOTHING &&
           !one->persistent && !other->persistent;
}

static size_t home(uint64_t handle) {
    /* Fibonacci hashing: the high bits of the product mix all bits of a pointer or a small integer. */
    return (size_t)((handle * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (table.capacity - 1);
}

static size_t next(size_t slot) {
    return (slot + 1) & (table.capacity - 1);
}

static void put(struct aa_request request) {
    size_t slot = home(request.handle);
    while (table.slots[slot].serial != 0)
        slot = next(slot);
    table.slots[slot] = request;
}

static bool grow(void) {
    size_t capacity = 2 * table.capacity, former_capacity = table.capacity;
    struct aa_request *former = table.slots;
    struct aa_request *slots =
        mmap(NULL, capacity * sizeof *slots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slots == MAP_FAILED)
        return false;
    table.slots = slots;
    table.capacity = capacity;
    for (size_t slot = 0; slot < former_capacity; slot++)
        if (former[slot].serial != 0)
            put(former[slot]);
    if (former != first_slots)
        munmap(former, former_capacity * sizeof *former);
    return true;
}

/*
 * Returns the slot of a handle's latest entry up to a serial number; -1 if there is none.
 */
static ptrdiff_t search(uint64_t handle, uint64_t as_of) {
    ptrdiff_t best = -1;
    for (size_t slot = home(handle); table.slots[slot].serial != 0; slot = next(slot)) {
        const struct aa_request *entry = &table.slots[slot];
        if (entry->handle == handle && entry->serial <= as_of &&
            (best < 0 || entry->serial > table.slots[best].serial))
            best = (ptrdiff_t)slot;
    }
    return best;
}

/* Removes an entry and closes the gap, because a search would otherwise end there too early. */
static void erase(size_t gap) {
    for (size_t slot = next(gap); table.slots[slot].serial != 0; slot = next(slot)) {
        size_t from_home = (slot - home(table.slots[slot].handle)) & (table.capacity - 1);
        size_t from_gap = (slot - gap) & (table.capacity - 1);
        if (from_home >= from_gap) {
            table.slots[gap] = table.slots[slot];
            gap = slot;
        }
    }
    table.slots[gap].serial = 0;
    table.used--;
}

void aa_requests_share(void) {
    table.shared = true;
}

bool aa_requests_are_shared(void) {
    return table.shared;
}

bool aa_requests_none(void) {
    return atomic_load_explicit(&table.used, memory_order_relaxed) == 0;
}

uint64_t aa_requests_now(void) {
    return atomic_load_explicit(&table.serial, memory_order_acquire);
}

/*
 * Adds an entry; the table is at most half full. If there is not enough memory, the request stays unknown,
 * and its bytes are not counted.
 */
static bool add(struct aa_request request) {
    if (2 * table.used >= table.capacity && !grow())
        return false;
    request.serial = ++table.serial;
    put(request);
    table.used++;
    table.asking += request.question != NULL;
    return true;
}

bool aa_requests_add(struct aa_request request) {
    bool added = true;
    lock();
    ptrdiff_t youngest = request.brings == AA_BRINGS_NOTHING ? search(request.handle, UINT64_MAX) : -1;
    if (youngest >= 0 && is_alike(&table.slots[youngest], &request))
        table.slots[youngest].more++;
    else
        added = add(request);
    unlock();
    return added;
}

static bool copy(uint64_t handle, struct aa_request *found, bool starts) {
    lock();
    ptrdiff_t slot = search(handle, UINT64_MAX);
    if (slot >= 0) {
        table.slots[slot].active |= starts;
        *found = table.slots[slot];
    }
    unlock();
    return slot >= 0;
}

bool aa_requests_find(uint64_t handle, struct aa_request *found) {
    return copy(handle, found, false);
}

bool aa_requests_start(uint64_t handle, struct aa_request *found) {
    return copy(handle, found, true);
}

/* Removes one of the requests that an entry represents. */
static void end(size_t slot) {
    if (table.slots[slot].more > 0) {
        table.slots[slot].more--;
        return;
    }
    table.asking -= table.slots[slot].question != NULL;
    erase(slot);
}

bool aa_requests_complete(uint64_t handle, uint64_t as_of, struct aa_request *found) {
    lock();
    ptrdiff_t slot = search(handle, as_of);
    if (slot >= 0) {
        *found = table.slots[slot];
        if (found->persistent)
            table.slots[slot].active = false;
        else
            end((size_t)slot);
    }
    unlock();
    return slot >= 0;
}

bool aa_requests_asks(uint64_t handle, uint64_t as_of) {
    if (atomic_load_explicit(&table.asking, memory_order_relaxed) == 0)
        return false;
    lock();
    ptrdiff_t slot = search(handle, as_of);
    bool asks = slot >= 0 && table.slots[slot].question;
    unlock();
    return asks;
}

void aa_requests_forget(uint64_t handle) {
    lock();
    ptrdiff_t slot = search(handle, UINT64_MAX);
    if (slot >= 0)
        end((size_t)slot);
    unlock();
}

void aa_requests_cancel(uint64_t handle) {
    lock();
    ptrdiff_t slot = search(handle, UINT64_MAX);
    if (slot >= 0)
        table.slots[slot].cancelled = true;
    unlock();
}
