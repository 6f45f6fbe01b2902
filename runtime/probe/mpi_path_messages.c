/* The critical path's messages beside those between two processes. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "mpi_bytes.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"
#include "mpi_request_table.h"
#include "self.h"
#include "work.h"

#define IN_A_BLOCK 64 /* messages */
#define LOOKED_AT 4   /* for one that has gone, before a block is added */
#define LOOKS 100     /* for one that was sent, and may come a little later than what it goes beside */
#define COUNTING 1e8  /* nanoseconds in which it comes in a counting run */
#define PATIENCE 1e9  /* nanoseconds in which a message of ours comes that was sent before the program's */

static bool has_missed; /* one that was sent to it; as all others go on, so does the rest */

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

/* A chain, or by default the own one, with a question. */
static void send(MPI_Comm comm, int peer, int tag, const struct aa_path *chain, uint32_t question) {
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
    }
    aa_path_unlock();
    aa_path_count_message();
}

void aa_path_send_on(MPI_Comm comm, int peer, int tag) {
    aa_path_take_late();
    send(comm, peer, tag, NULL, 0);
}

void aa_path_send_asking(int peer, int tag, uint32_t question) {
    aa_path_take_late();
    send(aa_path_ours.comm, peer, tag, NULL, question);
}

void aa_path_send_among(const struct aa_mpi_peers *peers, int dest, int tag) {
    int peer = aa_mpi_peer(peers, dest);
    if (peer >= 0)
        aa_path_send_on(aa_path_ours.comm, peer, aa_path_tag_of(peers, tag));
}

/* In counting runs, whose time means nothing, it may take longer. */
bool aa_path_is_here(MPI_Request *request) {
    int came = 0;
    uint64_t end = aa_work_is_counted() ? aa_clock_ticks() + (uint64_t)(COUNTING * aa_clock_rate()) : 0;
    for (int i = 0; !came && (i < LOOKS || aa_clock_ticks() < end); i++) {
        if (aa_mpi.Test(request, &came, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            break;
    }
    return came;
}

/* It was sent before what is here; but should it not come, nobody waits for it for ever. */
bool aa_path_comes(MPI_Request *request) {
    int came = 0;
    uint64_t end = 0;
    while (aa_mpi.Test(request, &came, MPI_STATUS_IGNORE) == MPI_SUCCESS && !came) {
        uint64_t now = aa_clock_ticks();
        end = end ? end : now + (uint64_t)(PATIENCE * aa_clock_rate());
        if (has_missed || now > end)
            break;
    }
    return came;
}

static void miss(void) {
    has_missed = true;
    if (aa_shard()->path_state == AA_PATH_KNOWN)
        aa_shard()->path_state = AA_PATH_MISSED;
}

bool aa_path_await(MPI_Request *request) {
    if (aa_path_comes(request))
        return true;
    aa_mpi.Cancel(request);
    aa_mpi.Wait(request, MPI_STATUS_IGNORE);
    miss();
    return false;
}

static void receive(MPI_Comm comm, int peer, int tag, const struct aa_path *begun) {
    struct aa_path path;
    MPI_Request request;
    if (!has_missed &&
        aa_mpi.Irecv(&path, (int)sizeof path, aa_mpi.byte, peer, tag, comm, &request) == MPI_SUCCESS) {
        if (aa_path_await(&request)) {
            if (path.from & AA_PATH_ASKS) {
                aa_path_is_asked = true;
                send(comm, peer, (int)(AA_PATH_TAGS + (path.from & ~AA_PATH_ASKS)), begun, 0);
            }
            aa_path_join_sender(&path);
        }
        aa_path_count_message();
    }
}

void aa_path_receive_on(MPI_Comm comm, int peer, int tag) {
    receive(comm, peer, tag, NULL);
}

void aa_path_receive_among(const struct aa_mpi_peers *peers, int source, int tag,
                           const struct aa_path *begun) {
    int peer = aa_mpi_peer(peers, source);
    if (peer >= 0)
        receive(aa_path_ours.comm, peer, aa_path_tag_of(peers, tag), begun);
}

void aa_path_received_among(const struct aa_mpi_peers *peers, int source, int tag) {
    aa_path_receive_among(peers, source, tag, NULL);
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

/* ---- messages that were matched before they are received */

static _Thread_local const struct aa_mpi_peers *matched AA_INITIAL_EXEC;

void aa_path_matched(uint64_t message, MPI_Comm comm) {
    aa_requests_add((struct aa_request){.handle = ~message, .peers = aa_path_peers(comm)});
}

void aa_path_take_matched(uint64_t message) {
    struct aa_request found = {0};
    aa_requests_complete(~message, UINT64_MAX, &found);
    matched = found.peers;
}

const struct aa_mpi_peers *aa_path_matched_peers(void) {
    return matched;
}
