/*
 * Requests whose bytes are only known later: those of receives and file I/O when they complete, those of
 * persistent requests each time they are started. They are in a hash table by handle, which does not depend
 * on MPI.
 *
 * The library may reuse a handle as soon as its request completes, perhaps in another thread, before the
 * completing thread has looked it up here. So entries have serial numbers: a completing call uses the
 * youngest entry of the handle that is not younger than the call itself (aa_requests_now). If threads share
 * the table, all requests have entries, because otherwise a send could be mistaken for an earlier receive.
 */
#ifndef AA_MPI_REQUEST_TABLE_H
#define AA_MPI_REQUEST_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* What the status of the completed request shows: the bytes received, read from a file, or written to one. */
enum aa_brings { AA_BRINGS_NOTHING, AA_BRINGS_MESSAGE, AA_BRINGS_READ, AA_BRINGS_WRITTEN };

struct aa_request {
    uint64_t handle;
    uint64_t serial;   /* set by aa_requests_add; 0 marks a free slot */
    uint64_t sent;     /* bytes that a persistent request sends each time it is started */
    uint64_t received; /* bytes that it receives each time it is started */
    bool persistent;
    bool active; /* persistent, started with a chain, and not completed since then */
    enum aa_brings brings;
    uint16_t file;  /* number of the record of the file that is read or written */
    bool cancelled; /* MPI_Cancel was called; the status shows whether it succeeded */
    /* the communicator of a message, to receive the chain that accompanies it; see mpi_path.h */
    const void *peers;
    int32_t peer, tag; /* of a message; of a receive from any source or with any tag, the status shows them */
    void *beside;      /* our own collective that accompanies this one; null: none */
    /*
     * the question of a synchronous send to its receiver (mpi_path.h); of a persistent one, where it is
     * stored
     */
    void *question;
    void *begun; /* the chain when a receive began */
    /* the number of further requests with this handle, because libraries use one handle for all sends
     * that complete at once */
    uint32_t more;
};

/* Uses a lock from now on, because the program may call MPI from several threads at once. */
void aa_requests_share(void);
/* Returns whether aa_requests_share was called. */
bool aa_requests_are_shared(void);

/* Returns whether no request is known, so that a completing call need not search. */
bool aa_requests_none(void);

/* Returns the serial number of the youngest entry; called when a completing call begins. */
uint64_t aa_requests_now(void);

/* Adds a request; without memory it stays unknown, and this returns false. */
bool aa_requests_add(struct aa_request request);

/* Copy the youngest entry of a handle; return false if there is none. The second marks it as active. */
bool aa_requests_find(uint64_t handle, struct aa_request *found);
bool aa_requests_start(uint64_t handle, struct aa_request *found);

/*
 * Copies the youngest entry of a completed request that is not younger than a serial number, and removes it,
 * or marks a persistent one as inactive; returns false if there is none.
 */
bool aa_requests_complete(uint64_t handle, uint64_t as_of, struct aa_request *found);

/*
 * Returns whether the entry that aa_requests_complete would find is a synchronous send that waits for an
 * answer.
 */
bool aa_requests_asks(uint64_t handle, uint64_t as_of);

/* Removes the youngest entry of a handle, or marks it as cancelled; nothing if there is none. */
void aa_requests_forget(uint64_t handle);
void aa_requests_cancel(uint64_t handle);

#endif
