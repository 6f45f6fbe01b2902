/*
 * The critical path's collectives among processes that share memory. Each process writes its chain to a slot
 * before it begins a collective of the program, and reads the other processes' slots after it. If every
 * process waits for all others in the collective, all slots have been written by then, so no process waits
 * again.
 *
 * The collectives of each communicator are numbered. A process overwrites a slot only after all members have
 * read the number in it. Two slots suffice for consecutive collectives in which all members wait for each
 * other: if a process has left the second collective, every process has left the first. If a process needs a
 * slot whose number is not yet written, it waits. The standard allows every collective to wait (MPI 4.1,
 * 6.1), even if the library returns immediately because the counts are zero.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"

/* the number of collectives by which a root may be ahead, the same as in MPICH's shared memory */
#define PLACES 64
#define CACHE_LINE 64

struct slot {
    _Atomic uint64_t number; /* the collective to which the chain belongs */
    struct aa_path path;
} __attribute__((aligned(CACHE_LINE)));

struct member {
    _Atomic uint64_t done; /* the last collective whose slots this member has read */
    /* the first collective that failed on this member, perhaps only on this one; 0: none */
    _Atomic uint64_t failed;
    struct slot slots[PLACES];
} __attribute__((aligned(CACHE_LINE)));

struct aa_path_slots {
    struct member *members;
    int count, me, place; /* place: the slot of the next collective */
    bool is_within;
    uint64_t number, done_by_all, waited; /* waited: ticks of waiting in the latest step of a collective */
};

/* ---- shared memory */

/* An unnamed file that the other members open through /proc/PROCESS/fd/FILE. The kernel deletes the file once
 * no process maps it. */
struct offer {
    int process, file;
    char name[32];
};

static void close_file(long file) {
    if (file >= 0)
        syscall(SYS_close, file);
}

/* Returns whether a file may have this size. If it exceeded the program's limit, a signal would end the
 * program, even if the file is only in memory. */
static bool is_allowed(size_t bytes) {
    struct rlimit files;
    return getrlimit(RLIMIT_FSIZE, &files) != 0 || bytes <= files.rlim_cur;
}

static struct offer make(size_t bytes) {
    struct offer offer = {.process = (int)getpid()};
    snprintf(offer.name, sizeof offer.name, "aa-%llx", (unsigned long long)aa_clock_ticks());
    offer.file = is_allowed(bytes) ? (int)syscall(SYS_memfd_create, offer.name, MFD_CLOEXEC) : -1;
    if (offer.file >= 0 && ftruncate(offer.file, (off_t)bytes) != 0) {
        close_file(offer.file);
        offer.file = -1;
    }
    return offer;
}

/* The name must match, because on another node or in a container, the process number may belong to another
 * process. */
static struct member *map(const struct offer *offer, size_t bytes) {
    char path[64], found[64] = "", expected[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", offer->process, offer->file);
    snprintf(expected, sizeof expected, "/memfd:%s (deleted)", offer->name);
    if (readlink(path, found, sizeof found - 1) < 0 || strcmp(found, expected) != 0)
        return NULL;
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    void *memory =
        file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
    close_file(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static _Atomic int in_use; /* number of communicators with slots */

void aa_path_end_slots(struct aa_path_slots *slots) {
    if (slots && slots->members)
        in_use--;
    if (slots)
        munmap(slots->members, (size_t)slots->count * sizeof *slots->members);
    free(slots);
}

/* Returns the shared memory; null if any member could not get it. So either all members get it or none
 * does. */
static struct aa_path_slots *share(int count, MPI_Comm comm) {
    size_t bytes = (size_t)count * sizeof(struct member);
    struct aa_path mine = {.from = aa_path_ours.me}, worst = {.length = 1};
    struct aa_path_slots *slots = calloc(1, sizeof *slots);
    struct offer offer = {.file = -1};
    int me = -1;
    aa_mpi.Comm_rank(comm, &me);
    bool has_room = in_use < AA_PATH_MOST_OF_ONE_KIND;
    if (me == 0 && has_room)
        offer = make(bytes);
    bool is_told = aa_mpi.Bcast(&offer, sizeof offer, aa_mpi.byte, 0, comm) == MPI_SUCCESS;
    struct member *members = is_told && offer.file >= 0 && slots && has_room ? map(&offer, bytes) : NULL;
    mine.length = members == NULL;
    if (aa_mpi.Allreduce(&mine, &worst, 1, aa_path_ours.chain, aa_path_ours.longest, comm) != MPI_SUCCESS)
        worst.length = 1;
    if (me == 0)
        close_file(offer.file);
    if (slots)
        *slots = (struct aa_path_slots){.members = members, .count = members ? count : 0, .me = me};
    in_use += members != NULL;
    if (worst.length == 0)
        return slots;
    aa_path_end_slots(slots);
    return NULL;
}

void aa_path_share(struct aa_mpi_peers *peers, MPI_Comm comm) {
    int error = errno;
    if (!peers->inter && peers->count > 1)
        peers->slots = share(peers->count, comm);
    errno = error;
}

/* ---- waiting */

/* Returns whether a member failed in an earlier collective. It may have been one number behind since then, so
 * members may see a flag in different collectives. */
static bool has_failed_before(const struct aa_path_slots *slots, uint64_t number) {
    for (int i = 0; i < slots->count; i++) {
        uint64_t failed = slots->members[i].failed;
        if (failed && failed < number)
            return true;
    }
    return false;
}

/*
 * Waits until a member's counter is at least `number`, and returns the counter; 0 if the wait was given up.
 * Usually, the counter is already high enough. Iprobe lets the library make progress, because the member may
 * be waiting for a message from this process. If a member has failed, some members may stay behind, or
 * members may leave the path one by one. After this process has given up one wait, it does not wait again.
 */
static uint64_t await(struct aa_path_slots *slots, const _Atomic uint64_t *counter, uint64_t number) {
    uint64_t found = atomic_load_explicit(counter, memory_order_acquire), end = 0;
    if (found >= number)
        return found;
    uint64_t since = aa_path_start_waiting(), start = aa_clock_ticks();
    while ((found = atomic_load_explicit(counter, memory_order_acquire)) < number && aa_mpi_path &&
           !(has_failed_before(slots, UINT64_MAX) && (aa_path_has_missed || aa_path_is_over(&end)))) {
        int flag;
        aa_mpi.Iprobe((int)aa_path_ours.me, 0, aa_path_ours.comm, &flag, MPI_STATUS_IGNORE);
        sched_yield();
    }
    aa_path_count_waiting(since);
    slots->waited += aa_clock_ticks() - start;
    if (found < number && aa_mpi_path)
        aa_path_miss();
    return found < number ? 0 : found;
}

/* ---- a collective */

static void leave_slot(struct aa_path_slots *slots, uint64_t held) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < slots->count; i++) {
        const struct member *member = &slots->members[i];
        uint64_t done = await(slots, &member->done, held);
        least = done < least ? done : least;
    }
    slots->done_by_all = least;
}

/* After a failed collective, the next one reuses its number and slot, and keeps the flags that other members
 * may have read in the slot. */
void aa_path_put(struct aa_path_slots *slots, bool gives, uint32_t flags) {
    struct member *mine = &slots->members[slots->me];
    struct slot *slot = &mine->slots[slots->place];
    uint64_t held = atomic_load_explicit(&slot->number, memory_order_relaxed);
    if (slots->is_within && !mine->failed)
        mine->failed = slots->number + 1;
    slots->is_within = true;
    slots->waited = 0;
    if (!gives || held == slots->number + 1) /* from a failed collective; other members may be reading it */
        return;
    if (held > slots->done_by_all && held <= slots->number)
        leave_slot(slots, held);
    aa_path_write(&slot->path);
    slot->path.from |= flags;
    atomic_store_explicit(&slot->number, slots->number + 1, memory_order_release);
}

const struct aa_path *aa_path_take(struct aa_path_slots *slots, int from, int to, uint32_t *flags) {
    const struct aa_path *longest = NULL;
    slots->waited = 0;
    for (int i = from; i < to; i++) {
        const struct member *member = &slots->members[i];
        const struct slot *slot = &member->slots[slots->place];
        if (!await(slots, &slot->number, slots->number + 1))
            continue;
        *flags |= slot->path.from;
        if (!longest || aa_path_is_longer(&slot->path, longest))
            longest = &slot->path;
    }
    if (*flags & AA_PATH_TOO_MUCH && has_failed_before(slots, slots->number + 1))
        *flags |= AA_PATH_IN_DOUBT;
    return longest;
}

/* After a collective in which all members wait for each other, every member has begun it and finished all
 * earlier ones. */
void aa_path_taken_slots(struct aa_path_slots *slots, bool all_wait_for_all) {
    slots->number++;
    slots->is_within = false;
    slots->place = all_wait_for_all ? slots->place == 0 : (slots->place + 1) % PLACES;
    if (all_wait_for_all)
        slots->done_by_all = slots->number - 1;
    atomic_store_explicit(&slots->members[slots->me].done, slots->number, memory_order_release);
}

uint64_t aa_path_waited_in(const struct aa_path_slots *slots) {
    return slots->waited;
}

int aa_path_my_place(const struct aa_path_slots *slots) {
    return slots->me;
}
