/* Sends and receives chains between two processes. A parcel is a chain that is being sent. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mpi_path_parts.h"
#include "work.h"

#define IN_A_BLOCK 64 /* parcels per block */
#define LOOKED_AT 4   /* number of parcels to test for completion before a block is added */
#define LOOKS 100     /* number of tests for a chain that may arrive shortly after the program's message */
#define COUNTING 1e8  /* nanoseconds to wait for such a chain in a counting run */
#define PATIENCE 1e9  /* nanoseconds to wait for a chain that was sent before the program's message */

_Atomic bool aa_path_has_missed;
_Atomic int64_t aa_path_on_the_way;

struct parcel {
    MPI_Request request;
    bool is_sent;
    struct aa_path path;
};

static struct block {
    struct block *next;
    struct parcel parcels[IN_A_BLOCK];
} * blocks;

static struct block *at_block;
static int at;

static bool is_free(struct parcel *parcel) {
    int gone = 1;
    if (parcel->is_sent && aa_mpi.Test(&parcel->request, &gone, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        gone = 0;
    parcel->is_sent = !gone;
    return gone;
}

static struct parcel *step(void) {
    if (++at == IN_A_BLOCK) {
        at = 0;
        at_block = at_block->next ? at_block->next : blocks;
    }
    return &at_block->parcels[at];
}

static struct parcel *new_block(void) {
    struct block *block = calloc(1, sizeof *block);
    if (block) {
        block->next = blocks;
        blocks = at_block = block;
        at = 0;
    }
    return block ? &block->parcels[0] : NULL;
}

static struct parcel *free_parcel(void) {
    for (int i = 0; at_block && i < LOOKED_AT; i++) {
        struct parcel *parcel = step();
        if (is_free(parcel))
            return parcel;
    }
    return new_block();
}

int aa_path_tag_of(const struct aa_mpi_peers *peers, int tag) {
    uint32_t mixed = (uint32_t)tag ^ (uint32_t)tag >> 14 ^ peers->salt * 0x9e37u;
    return (int)(mixed % AA_PATH_TAGS);
}

void aa_path_send_parcel(MPI_Comm comm, int peer, int tag, const struct aa_path *chain, uint32_t question) {
    aa_path_lock();
    struct parcel *parcel = free_parcel();
    if (parcel) {
        if (chain)
            memcpy(&parcel->path, chain, aa_path_size(chain));
        else
            aa_path_write(&parcel->path);
        parcel->path.from = question;
        parcel->is_sent = aa_mpi.Isend(&parcel->path, (int)aa_path_size(&parcel->path), aa_mpi.byte, peer,
                                       tag, comm, &parcel->request) == MPI_SUCCESS;
        aa_path_on_the_way += parcel->is_sent && comm == aa_path_ours.comm;
    }
    aa_path_unlock();
    aa_path_count_message();
}

void aa_path_took(MPI_Comm comm) {
    aa_path_on_the_way -= comm == aa_path_ours.comm;
}

/* Waits briefly, because a chain may arrive slightly later than expected. In counting runs, whose times do
 * not matter, it waits longer. */
bool aa_path_is_here(MPI_Request *request) {
    int came = 0;
    uint64_t end = aa_work_is_counted() ? aa_clock_ticks() + (uint64_t)(COUNTING * aa_clock_rate()) : 0;
    for (int i = 0; !came && (i < LOOKS || aa_clock_ticks() < end); i++) {
        if (aa_mpi.Test(request, &came, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
    }
    return came;
}

bool aa_path_is_over(uint64_t *end) {
    uint64_t now = aa_clock_ticks();
    *end = *end ? *end : now + (uint64_t)(PATIENCE * aa_clock_rate());
    return now > *end;
}

/* Waits for a limited time for a chain that was sent before the program's message; returns whether it
 * arrived. If the path has ended on this rank, does not wait for the chain of a single rank (`from_one`),
 * which may no longer send chains. */
static bool comes(MPI_Request *request, bool from_one) {
    int came = 0;
    uint64_t end = 0, since = 0;
    while (aa_mpi.Test(request, &came, MPI_STATUS_IGNORE) == MPI_SUCCESS && !came) {
        since = since ? since : aa_path_start_waiting();
        if (aa_path_has_missed || (from_one && aa_path_has_ended) || aa_path_is_over(&end))
            break;
    }
    if (since)
        aa_path_count_waiting(since);
    return came;
}

bool aa_path_comes(MPI_Request *request) {
    return comes(request, false);
}

void aa_path_miss(void) {
    aa_path_has_missed = true;
    if (aa_shard()->path_state == AA_PATH_KNOWN)
        aa_shard()->path_state = AA_PATH_MISSED;
}

bool aa_path_cancel(MPI_Request *request) {
    MPI_Status status;
    int cancelled = 1;
    aa_mpi.Cancel(request);
    if (aa_mpi.Wait(request, &status) == MPI_SUCCESS)
        aa_mpi.Test_cancelled(&status, &cancelled);
    return cancelled;
}

bool aa_path_await(MPI_Request *request) {
    if (comes(request, true) || !aa_path_cancel(request))
        return true;
    if (!aa_path_has_ended)
        aa_path_miss();
    return false;
}

void aa_path_exchange_with_oneself(void) {
    int me = (int)aa_path_ours.me;
    struct aa_path mine = {.from = aa_path_ours.me}, found;
    MPI_Comm comm = aa_path_ours.comm;
    MPI_Request sent, received;
    if (aa_mpi.Isend(&mine, (int)aa_path_size(&mine), aa_mpi.byte, me, 0, comm, &sent) != MPI_SUCCESS)
        return;
    if (aa_mpi.Irecv(&found, (int)sizeof found, aa_mpi.byte, me, 0, comm, &received) == MPI_SUCCESS)
        aa_path_await(&received);
    aa_mpi.Wait(&sent, MPI_STATUS_IGNORE);
}
