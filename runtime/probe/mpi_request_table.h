/*
 * Requests whose bytes are only known later: for receives and file I/O, when they complete; for persistent
 * requests, each time they are started. The requests are in a hash table, indexed by handle. The table does
 * not depend on MPI.
 *
 * The library may reuse a handle as soon as its request completes, perhaps in another thread, before the
 * completing thread has looked it up in the table. Entries therefore have serial numbers: a completing call
 * uses the handle's latest entry that existed when the call began (aa_requests_now). If threads share the
 * table, all requests have entries, because otherwise a send could be mistaken for an earlier receive.
 */
#ifndef AA_MPI_REQUEST_TABLE_H
#define AA_MPI_REQUEST_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* What a completed request's status shows: the bytes received, read from a file, or written to a file. */
enum aa_brings { AA_BRINGS_NOTHING, AA_BRINGS_MESSAGE, AA_BRINGS_READ, AA_BRINGS_WRITTEN };

struct aa_request {
    uint64_t handle;
    uint64_t serial;   /* set by aa_requests_add; 0 marks a free slot */
    uint64_t sent;     /* bytes that a persistent request sends each time it is started */
    uint64_t received; /* bytes that a persistent request receives each time it is started */
    bool persistent;
    bool active;      /* whether a persistent request was started with a chain, and has not completed since */
    bool is_message;  /* whether a persistent request sends a message */
    int32_t receiver; /* the rank in MPI_COMM_WORLD that gets the message; negative: unknown */
    enum aa_brings brings;
    uint16_t file;  /* number of the record of the file that is read or written */
    bool cancelled; /* MPI_Cancel was called; the status shows whether it succeeded */
    /* the communicator of a message, to receive the chain that accompanies it; see mpi_path.h */
    const void *peers;
    int32_t peer,
        tag; /* a message's peer and tag; if a receive accepts any source or tag, the status shows them */
    void *beside; /* our own collective that accompanies this one; null: none */
    /*
     * the question of a synchronous send to its receiver (mpi_path.h); for a persistent send, where the
     * question is stored
     */
    void *question;
    void *begun; /* the chain with which a receive began */
    /* the number of further requests with this handle: libraries use one handle for all sends that complete
     * immediately */
    uint32_t more;
};

/* From now on, uses a lock, because the program may call MPI from several threads at once. */
void aa_requests_share(void);
/* Returns whether aa_requests_share was called. */
bool aa_requests_are_shared(void);

/* Returns whether no request is known. If so, a completing call need not search. */
bool aa_requests_none(void);

/* Returns the serial number of the latest entry; called when a completing call begins. */
uint64_t aa_requests_now(void);

/* Adds a request; returns false if there is not enough memory, and the request stays unknown. */
bool aa_requests_add(struct aa_request request);

/* Copy a handle's latest entry; return false if there is none. The second function marks it as active. */
bool aa_requests_find(uint64_t handle, struct aa_request *found);
bool aa_requests_start(uint64_t handle, struct aa_request *found);

/*
 * Copies a completed request's latest entry up to a serial number, and removes the entry or, if the request
 * is persistent, marks it as inactive; returns false if there is none.
 */
bool aa_requests_complete(uint64_t handle, uint64_t as_of, struct aa_request *found);

/*
 * Returns whether the entry that aa_requests_complete would find is a synchronous send that waits for an
 * answer.
 */
bool aa_requests_asks(uint64_t handle, uint64_t as_of);

/* Remove a handle's latest entry, or mark it as cancelled; do nothing if there is none. */
void aa_requests_forget(uint64_t handle);
void aa_requests_cancel(uint64_t handle);

#endif
