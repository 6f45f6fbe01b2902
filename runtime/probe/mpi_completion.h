/*
 * Counting in calls that may complete requests, in either language. C's wrappers are in
 * mpi_completion_c.c, Fortran's in mpi_completion_fortran.c.
 */
#ifndef AA_MPI_COMPLETION_H
#define AA_MPI_COMPLETION_H

#include "mpi_fortran.h"
#include "mpi_library.h"

/* The number of requests that one call handles without allocating memory. */
#define AA_REQUESTS_ON_STACK 64

/*
 * Requests, statuses and indices, passed as void pointers below, are in the call's language.
 *
 * This structure has copies of the handles, which the library overwrites, and statuses in case the program
 * ignores them. Requests are not watched if nothing can be learnt, or if memory is short.
 */
struct aa_completion {
    struct aa_mpi_call call;
    enum aa_language language;
    int first_index; /* the number from which the library's indices count */
    bool watching;
    uint64_t as_of;
    uint64_t *handles;
    void *statuses;
    void *allocated;
    uint64_t handles_on_stack[AA_REQUESTS_ON_STACK];
    union aa_own_status statuses_on_stack[AA_REQUESTS_ON_STACK];
};

/* Prepares for a call; returns the statuses that the library should fill. */
void *aa_completion_watch(struct aa_completion *completion, enum aa_language language, int count,
                          const void *requests, void *statuses);

AA_IN_CALLERS_FRAME void *aa_completion_begin(struct aa_completion *completion, enum aa_language language,
                                              struct aa_mpi_region region, int count, const void *requests,
                                              void *statuses) {
    completion->call = aa_mpi_begin(AA_MPI_REQUEST, region);
    return aa_completion_watch(completion, language, count, requests, statuses);
}

/* After the call: request i, counted from 0, may have completed; none if i is MPI_UNDEFINED. */
void aa_completion_end_one(struct aa_completion *completion, int result, int i, const void *status);

/* After the call: completes the request at an index, if the library reports one. */
void aa_completion_end_any(struct aa_completion *completion, int result, bool any, int index,
                           const void *status);

/*
 * After the call: completes the requests that the library has listed, or whose failures it reports one by
 * one.
 */
void aa_completion_end_some(struct aa_completion *completion, int result, int done, const void *indices,
                            const void *statuses);

/* After the call: completes all requests, if the library reports so. */
void aa_completion_end_all(struct aa_completion *completion, int result, bool all, int count,
                           const void *statuses);

/* Counts the bytes that starting a persistent request sends and, for collectives, receives. */
void aa_count_started(enum aa_language language, int count, const void *requests);

/* Called before starting: sends our messages that accompany persistent sends and collectives. */
void aa_path_start(enum aa_language language, int count, const void *requests);

/* A request is about to be freed. */
void aa_request_freed(enum aa_language language, const void *request);

uint64_t aa_request_handle(enum aa_language language, const void *requests, int i);

#endif
