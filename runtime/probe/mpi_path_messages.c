/* The critical path's point-to-point messages: one chain for each message of the program. */
#include "mpi_bytes.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"
#include "mpi_request_table.h"
#include "self.h"

void aa_path_send_on(MPI_Comm comm, int peer, int tag) {
    if (aa_path_has_ended)
        return;
    aa_path_take_late();
    aa_path_send_parcel(comm, peer, tag, NULL, 0);
}

void aa_path_send_among(const struct aa_mpi_peers *peers, int dest, int tag) {
    int peer = aa_mpi_peer(peers, dest);
    if (peer >= 0)
        aa_path_send_on(aa_path_ours.comm, peer, aa_path_tag_of(peers, tag));
}

static void receive(MPI_Comm comm, int peer, int tag, const struct aa_path *begun, int sender) {
    struct aa_path path;
    MPI_Request request;
    if (!aa_path_has_ended &&
        aa_mpi.Irecv(&path, (int)sizeof path, aa_mpi.byte, peer, tag, comm, &request) == MPI_SUCCESS) {
        if (aa_path_await(&request)) {
            aa_path_took(comm);
            if (path.from & AA_PATH_ASKS) {
                aa_path_is_asked = true;
                aa_path_send_parcel(comm, peer, (int)(AA_PATH_TAGS + (path.from & ~AA_PATH_ASKS)), begun, 0);
            }
            if (!aa_path_has_missed)
                aa_path_join_sender(&path, sender);
        }
        aa_path_count_message();
    }
}

void aa_path_receive_on(MPI_Comm comm, int peer, int tag) {
    receive(comm, peer, tag, NULL, AA_PATH_NO_SENDER);
}

/* Receives a chain. If the sender asks for an answer, sends `begun`, the chain when the program's receive
 * began, or, if it is null, the current chain. */
static void receive_among(const struct aa_mpi_peers *peers, int source, int tag,
                          const struct aa_path *begun) {
    int peer = aa_mpi_peer(peers, source);
    if (peer >= 0)
        receive(aa_path_ours.comm, peer, aa_path_tag_of(peers, tag), begun, peer);
}

/* The chain with which a non-blocking receive answers if it began before any sender had asked. */
static const struct aa_path unknown;

void aa_path_received_later(const struct aa_mpi_peers *peers, int source, int tag, const void *begun) {
    receive_among(peers, source, tag, begun ? begun : &unknown);
}

void aa_path_received_among(const struct aa_mpi_peers *peers, int source, int tag) {
    receive_among(peers, source, tag, NULL);
}

/* ---- the end */

static void take_arrived(MPI_Comm comm) {
    struct aa_path rest;
    MPI_Status status;
    MPI_Request request;
    int found = 0;
    while (aa_mpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &status) == MPI_SUCCESS && found &&
           aa_mpi.Irecv(&rest, (int)sizeof rest, aa_mpi.byte, status.MPI_SOURCE, status.MPI_TAG, comm,
                        &request) == MPI_SUCCESS) {
        aa_mpi.Wait(&request, MPI_STATUS_IGNORE);
        aa_path_took(comm);
    }
}

void aa_path_add_lengths(void *given, void *kept, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((struct aa_path *)kept)[i].length += ((const struct aa_path *)given)[i].length;
}

#define MOST_ROUNDS 1000 /* so that no process waits forever for a message that the library has lost */

/* A message that was sent before a barrier may arrive after it. All ranks therefore add up the numbers of
 * messages that have not arrived. */
void aa_path_take_rest(void) {
    struct aa_path mine = {0}, all = {.length = 1};
    for (int round = 0; round < MOST_ROUNDS && all.length > 0; round++) {
        take_arrived(aa_path_ours.comm);
        mine.length = (double)aa_path_on_the_way;
        if (aa_mpi.Allreduce(&mine, &all, 1, aa_path_ours.chain, aa_path_ours.sum, aa_path_ours.comm) !=
            MPI_SUCCESS)
            break;
    }
}

/* ---- messages that the program matches (MPI_Mprobe) before it receives them */

static _Thread_local const struct aa_mpi_peers *matched AA_INITIAL_EXEC;

void aa_path_matched(uint64_t message, MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_path_kept_peers(comm);
    if (!aa_requests_add((struct aa_request){.handle = ~message, .peers = peers}))
        aa_mpi_peers_drop(peers);
}

void aa_path_take_matched(uint64_t message) {
    struct aa_request found = {0};
    aa_requests_complete(~message, UINT64_MAX, &found);
    aa_mpi_peers_drop(matched);
    matched = found.peers;
}

const struct aa_mpi_peers *aa_path_matched_peers(void) {
    const struct aa_mpi_peers *peers = matched;
    matched = NULL;
    return peers;
}

void aa_path_received_matched(int source, int tag) {
    const struct aa_mpi_peers *peers = aa_path_matched_peers();
    receive_among(peers, source, tag, NULL);
    aa_mpi_peers_drop(peers);
}
