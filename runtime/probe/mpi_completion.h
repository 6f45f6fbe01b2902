/*
 * Counts messages and file I/O in calls that may complete requests, for both languages. The wrappers for C
 * are in mpi_completion_c.c, those for Fortran in mpi_completion_fortran.c.
 */
#ifndef AA_MPI_COMPLETION_H
#define AA_MPI_COMPLETION_H

#include "mpi_fortran.h"
#include "mpi_library.h"

/* maximum number of requests that one call handles without allocating memory */
#define AA_REQUESTS_ON_STACK 64

/*
 * A call that may complete requests. Its requests, statuses and indices, which are void pointers here, have
 * the types of the calling language.
 *
 * The structure keeps copies of the handles, because the library overwrites them, and has space for
 * statuses, because the program may ignore them.
 */
struct aa_completion {
    struct aa_mpi_call call;
    enum aa_language language;
    int count;       /* the number of requests */
    int first_index; /* the index that the library reports for the first request: 1 or 0 in Fortran, 0 in C */
    /* false if no request is known or there is too little memory; in this case, only the call itself is
     * counted */
    bool watching;
    /* the serial number of requests when the call began; see mpi_request_table.h */
    uint64_t as_of;
    uint64_t *handles;
    void *statuses;
    void *allocated;
    uint64_t handles_on_stack[AA_REQUESTS_ON_STACK];
    union aa_own_status statuses_on_stack[AA_REQUESTS_ON_STACK];
};

/*
 * Prepares a call that has begun; returns the statuses to pass to the library: the program's statuses, or our
 * own if the program ignores statuses and we need them.
 */
void *aa_completion_watch(struct aa_completion *completion, enum aa_language language, int count,
                          const void *requests, void *statuses);

/* Begins a call in the wrapper's frame, and prepares it like aa_completion_watch. */
AA_IN_CALLERS_FRAME void *aa_completion_begin(struct aa_completion *completion, enum aa_language language,
                                              struct aa_mpi_region region, int count, const void *requests,
                                              void *statuses) {
    completion->call = aa_mpi_begin(AA_MPI_REQUEST, region);
    return aa_completion_watch(completion, language, count, requests, statuses);
}

/*
 * Ends a call that may have completed request i, counted from 0; if i is MPI_UNDEFINED, it completed none.
 * result, here and below: the library's return value.
 */
void aa_completion_end_one(struct aa_completion *completion, int result, int i, const void *status);

/* Ends a call that has completed the request at an index if `any` is true. */
void aa_completion_end_any(struct aa_completion *completion, int result, bool any, int index,
                           const void *status);

/*
 * Ends a call that has completed `done` requests at the listed indices, or that reports the failure of each
 * request.
 */
void aa_completion_end_some(struct aa_completion *completion, int result, int done, const void *indices,
                            const void *statuses);

/* Ends a call that has completed all requests if `all` is true. */
void aa_completion_end_all(struct aa_completion *completion, int result, bool all, int count,
                           const void *statuses);

/*
 * Counts the bytes that persistent requests send when they are started; for collectives, also the bytes that
 * they receive.
 */
void aa_count_started(enum aa_language language, int count, const void *requests);

/* Sends our messages that accompany persistent sends and collectives; called before these are started. */
void aa_path_start(enum aa_language language, int count, const void *requests);

/* Forgets a request that is about to be freed. */
void aa_request_freed(enum aa_language language, const void *request);

/* Returns the handle of request i as a number, the same in both languages. */
uint64_t aa_request_handle(enum aa_language language, const void *requests, int i);

#endif
