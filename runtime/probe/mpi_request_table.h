/*
 * Requests whose bytes are only known later: receives and file I/O count when they complete, persistent
 * requests each time they are started. An open hash of handles, which knows nothing of MPI itself.
 *
 * The library may hand out a handle again the moment it completes, perhaps to another thread, before the
 * completing thread has looked it up here. So entries carry a serial number: who completes a request takes
 * the youngest entry of that handle which is no younger than the completing call (aa_requests_now). And where
 * threads share the table all requests have entries, lest a send be taken for the receive before it.
 */
#ifndef AA_MPI_REQUEST_TABLE_H
#define AA_MPI_REQUEST_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* What the completing status tells: how much arrived, was read from a file, was written to one. */
enum aa_brings { AA_BRINGS_NOTHING, AA_BRINGS_MESSAGE, AA_BRINGS_READ, AA_BRINGS_WRITTEN };

struct aa_request {
    uint64_t handle;
    uint64_t serial;   /* set by aa_requests_add; 0 is a free slot */
    uint64_t sent;     /* at every start, if persistent */
    uint64_t received; /* the same */
    bool persistent;
    enum aa_brings brings;
    uint16_t file;     /* the number of the file that is read or written, among those recorded */
    bool cancelled;    /* MPI_Cancel was called: ask the status whether it came in time */
    const void *peers; /* a message: whose, so that the chain beside it is received; see mpi_path.h */
    int32_t peer, tag; /* with whom, and under which tag; of a receive from anybody the status says so */
    void *beside;      /* a collective of ours that goes with it */
    void *question;    /* of a synchronous send; of a persistent one, where it is kept */
    void *begun;       /* of a receive, the chain with which it began */
    uint32_t more;     /* requests alike: libraries have one handle for all sends that are complete at once */
};

/* Lock from now on: the program may call MPI from several threads at once. */
void aa_requests_share(void);
bool aa_requests_are_shared(void);

/* Whether no request is known, so that a completing call need not look. */
bool aa_requests_none(void);

/* The time, in serial numbers, at which a completing call begins. */
uint64_t aa_requests_now(void);

void aa_requests_add(struct aa_request request);

/* Copy the entry of a handle; false if there is none. */
bool aa_requests_find(uint64_t handle, struct aa_request *found);

/* The same as of a serial number, for a request that completed: one that is not persistent is forgotten. */
bool aa_requests_complete(uint64_t handle, uint64_t as_of, struct aa_request *found);

void aa_requests_forget(uint64_t handle);
void aa_requests_cancel(uint64_t handle);

#endif
