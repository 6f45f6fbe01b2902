/*
 * A call that may complete requests, in either language: what it needs besides its arguments, and what is
 * counted when it has returned. C's forms are in mpi_completion_c.c, Fortran's in mpi_completion_fortran.c.
 */
#ifndef AA_MPI_COMPLETION_H
#define AA_MPI_COMPLETION_H

#include "mpi_fortran.h"
#include "mpi_library.h"

/* Requests that are looked at in one call without allocating. */
#define AA_REQUESTS_ON_STACK 64

/*
 * Requests, statuses and indices, given as void pointers below, are those of the language.
 *
 * The handles, which the library overwrites, and statuses of its own where the program ignores them. Not
 * watching where nothing can be learnt, or memory is short.
 */
struct aa_completion {
    struct aa_mpi_call call;
    enum aa_language language;
    int first_index; /* what the library's indices count from */
    bool watching;
    uint64_t as_of;
    uint64_t *handles;
    void *statuses;
    void *allocated;
    uint64_t handles_on_stack[AA_REQUESTS_ON_STACK];
    union aa_own_status statuses_on_stack[AA_REQUESTS_ON_STACK];
};

/* What is to be watched of a call that has begun; gives the statuses that the library is to fill. */
void *aa_completion_watch(struct aa_completion *completion, enum aa_language language, int count,
                          const void *requests, void *statuses);

AA_IN_CALLERS_FRAME void *aa_completion_begin(struct aa_completion *completion, enum aa_language language,
                                              struct aa_mpi_region region, int count, const void *requests,
                                              void *statuses) {
    completion->call = aa_mpi_begin(AA_MPI_REQUEST, region);
    return aa_completion_watch(completion, language, count, requests, statuses);
}

/* Afterwards: request i, counted from 0, may have completed; none if i is MPI_UNDEFINED. */
void aa_completion_end_one(struct aa_completion *completion, int result, int i, const void *status);

/* Afterwards: the request that an index of the library's names, if the library says that there is one. */
void aa_completion_end_any(struct aa_completion *completion, int result, bool any, int index,
                           const void *status);

/* Afterwards: as many as the library says, which it has listed, have completed, or failed one by one. */
void aa_completion_end_some(struct aa_completion *completion, int result, int done, const void *indices,
                            const void *statuses);

/* Afterwards: all of the requests have, if the library says so. */
void aa_completion_end_all(struct aa_completion *completion, int result, bool all, int count,
                           const void *statuses);

/* What starting a persistent request hands over and, for collectives, gets. */
void aa_count_started(enum aa_language language, int count, const void *requests);

/* Before that: what goes beside the messages of persistent sends, and beside collectives. */
void aa_path_start(enum aa_language language, int count, const void *requests);

/* A request is about to be freed. */
void aa_request_freed(enum aa_language language, const void *request);

uint64_t aa_request_handle(enum aa_language language, const void *requests, int i);

#endif
