/* The functions with which generated wrappers add requests to the table (mpi_request_table.h). */
#ifndef AA_MPI_REQUESTS_H
#define AA_MPI_REQUESTS_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi_messages.h"
#include "mpi_path.h"
#include "mpi_request_table.h"

/* Returns a request's handle as a number: it is a pointer in some MPI libraries and an int in others. */
static inline uint64_t aa_handle(MPI_Request request) {
    return (uint64_t)(uintptr_t)request;
}

/*
 * Adds a request that has begun. A request that receives no bytes, such as a send, is only added if threads
 * could otherwise confuse handles.
 */
static inline void aa_request_begun(MPI_Request request, enum aa_brings brings) {
    if (brings != AA_BRINGS_NOTHING || aa_requests_are_shared())
        aa_requests_add((struct aa_request){.handle = aa_handle(request), .brings = brings});
}

/* Adds a non-blocking collective. beside: our own collective, or null. */
static inline void aa_collective_begun(MPI_Request request, void *beside) {
    if (beside || aa_requests_are_shared())
        aa_requests_add((struct aa_request){.handle = aa_handle(request), .beside = beside});
}

/* Adds a synchronous send, with the question in the message that accompanies it. */
static inline void aa_synchronous_begun(MPI_Request request) {
    void *question = __builtin_expect(aa_mpi_path, false) ? aa_path_question() : NULL;
    if (question || aa_requests_are_shared())
        aa_requests_add((struct aa_request){.handle = aa_handle(request), .question = question});
}

/* Adds a request that drops its peers when it completes; if there is no memory, they are dropped now. */
static inline void aa_add_with_peers(struct aa_request request) {
    if (!aa_requests_add(request))
        aa_mpi_peers_drop(request.peers);
}

/* Adds the receive of a message that MPI_Mprobe or MPI_Improbe has matched. */
static inline void aa_matched_begun(MPI_Request request) {
    const struct aa_mpi_peers *peers = __builtin_expect(aa_mpi_path, false) ? aa_path_matched_peers() : NULL;
    aa_add_with_peers((struct aa_request){.handle = aa_handle(request),
                                          .brings = AA_BRINGS_MESSAGE,
                                          .peers = peers,
                                          .peer = MPI_ANY_SOURCE,
                                          .tag = MPI_ANY_TAG,
                                          .begun = peers ? aa_path_begun() : NULL});
}

/* Adds a receive. Nothing is received from MPI_PROC_NULL, and these requests may share a handle, so they are
 * added as AA_BRINGS_NOTHING. */
static inline void aa_receive_begun(MPI_Request request, int source, int tag, MPI_Comm comm) {
    if (source == MPI_PROC_NULL) {
        aa_request_begun(request, AA_BRINGS_NOTHING);
        return;
    }
    const struct aa_mpi_peers *peers = aa_path_kept_peers(comm);
    aa_add_with_peers((struct aa_request){.handle = aa_handle(request),
                                          .brings = AA_BRINGS_MESSAGE,
                                          .peers = peers,
                                          .peer = source,
                                          .tag = tag,
                                          .begun = peers && aa_path_is_asked ? aa_path_begun() : NULL});
}

/* Adds a persistent receive. sent: the bytes to count each time it is started. */
static inline void aa_persistent_receive(MPI_Request request, uint64_t sent, int source, int tag,
                                         MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_path_kept_peers(comm);
    aa_add_with_peers((struct aa_request){.handle = aa_handle(request),
                                          .sent = sent,
                                          .persistent = true,
                                          .brings = AA_BRINGS_MESSAGE,
                                          .peers = peers,
                                          .peer = source,
                                          .tag = tag,
                                          .begun = peers ? aa_path_room() : NULL});
}

/* Adds a persistent send. sent: the bytes to count each time it is started. */
static inline void aa_persistent_send(MPI_Request request, uint64_t sent, int dest, int tag, MPI_Comm comm,
                                      bool synchronous) {
    const struct aa_mpi_peers *peers = aa_path_kept_peers(comm);
    aa_add_with_peers(
        (struct aa_request){.handle = aa_handle(request),
                            .sent = sent,
                            .persistent = true,
                            .is_message = dest != MPI_PROC_NULL,
                            .receiver = aa_receiver(dest, comm),
                            .peers = peers,
                            .peer = dest,
                            .tag = tag,
                            .question = peers && synchronous ? calloc(1, sizeof(void *)) : NULL});
}

/* Adds a persistent collective. sent, received: the bytes to count each time it is started. beside: our own
 * collective, or null. */
static inline void aa_persistent_collective(MPI_Request request, uint64_t sent, uint64_t received,
                                            void *beside) {
    aa_requests_add((struct aa_request){.handle = aa_handle(request),
                                        .sent = sent,
                                        .received = received,
                                        .persistent = true,
                                        .beside = beside});
}

/* Adds a partitioned send. sent: the bytes to count each time it is started. */
static inline void aa_partitioned_send(MPI_Request request, uint64_t sent, int dest, MPI_Comm comm) {
    aa_requests_add((struct aa_request){.handle = aa_handle(request),
                                        .sent = sent,
                                        .persistent = true,
                                        .is_message = dest != MPI_PROC_NULL,
                                        .receiver = aa_receiver(dest, comm)});
}

/* Adds any other persistent request. sent, received: the bytes to count each time it is started. */
static inline void aa_persistent(MPI_Request request, uint64_t sent, uint64_t received) {
    aa_requests_add((struct aa_request){
        .handle = aa_handle(request), .sent = sent, .received = received, .persistent = true});
}

#endif
