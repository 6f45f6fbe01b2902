/* What the generated wrappers enter into the table of requests (mpi_request_table.h). */
#ifndef AA_MPI_REQUESTS_H
#define AA_MPI_REQUESTS_H

#include <mpi.h>
#include <stdint.h>

#include "mpi_request_table.h"

/* A handle is a pointer in some MPI libraries and an int in others. */
static inline uint64_t aa_handle(MPI_Request request) {
    return (uint64_t)(uintptr_t)request;
}

/* A receive has begun; nothing ever comes from MPI_PROC_NULL, whose requests may share one handle. */
static inline void aa_receive_begun(MPI_Request request) {
    aa_requests_add((struct aa_request){.handle = aa_handle(request), .brings = AA_BRINGS_MESSAGE});
}

static inline void aa_persistent_receive(MPI_Request request, uint64_t sent) {
    aa_requests_add((struct aa_request){
        .handle = aa_handle(request), .sent = sent, .persistent = true, .brings = AA_BRINGS_MESSAGE});
}

static inline void aa_persistent(MPI_Request request, uint64_t sent, uint64_t received) {
    aa_requests_add((struct aa_request){
        .handle = aa_handle(request), .sent = sent, .received = received, .persistent = true});
}

#endif
