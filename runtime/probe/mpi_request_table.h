/*
 * Requests whose bytes are only known later: receives and file I/O count when they complete, persistent
 * requests each time they are started. A hash table by handle, which does not depend on MPI.
 *
 * The library may reuse a handle as soon as its request completes, perhaps in another thread, before the
 * completing thread has looked it up here. So entries have serial numbers: a completing call uses the
 * youngest entry of the handle that is not younger than the call itself (aa_requests_now). If threads
 * share the table, all requests have entries, because otherwise a send could be mistaken for an earlier
 * receive.
 */
#ifndef AA_MPI_REQUEST_TABLE_H
#define AA_MPI_REQUEST_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* What the completing status shows: how much was received, read from a file, or written to one. */
enum aa_brings { AA_BRINGS_NOTHING, AA_BRINGS_MESSAGE, AA_BRINGS_READ, AA_BRINGS_WRITTEN };

struct aa_request {
    uint64_t handle;
    uint64_t serial;   /* set by aa_requests_add; 0 marks a free slot */
    uint64_t sent;     /* bytes at every start of a persistent request */
    uint64_t received; /* likewise */
    bool persistent;
    enum aa_brings brings;
    uint16_t file;  /* number of the record of the file that is read or written */
    bool cancelled; /* MPI_Cancel was called: the status shows whether it succeeded */
    /* of a message: its communicator, to receive the chain that accompanies it; see mpi_path.h */
    const void *peers;
    int32_t peer, tag; /* of a message; of a receive from any source, the status has them */
    void *beside;      /* our own collective that accompanies this one */
    void *question;    /* of a synchronous send; of a persistent one, where it is stored */
    void *begun;       /* of a receive, the chain at its beginning */
    /* further requests with this handle: libraries use one handle for all sends that complete at once */
    uint32_t more;
};

/* Locks from now on: the program may call MPI from several threads at once. */
void aa_requests_share(void);
bool aa_requests_are_shared(void);

/* Whether no request is known, so that a completing call need not search. */
bool aa_requests_none(void);

/* The current serial number, at the beginning of a completing call. */
uint64_t aa_requests_now(void);

void aa_requests_add(struct aa_request request);

/* Copies the entry of a handle; false if there is none. */
bool aa_requests_find(uint64_t handle, struct aa_request *found);

/* The same, as of a serial number, for a completed request, which is forgotten unless it is persistent. */
bool aa_requests_complete(uint64_t handle, uint64_t as_of, struct aa_request *found);

void aa_requests_forget(uint64_t handle);
void aa_requests_cancel(uint64_t handle);

#endif
