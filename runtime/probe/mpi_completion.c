#include "mpi_completion.h"

#include <stdlib.h>
#include <string.h>

#include "file_use.h"
#include "mpi_bytes.h"
#include "mpi_request_table.h"
#include "mpi_requests.h"

/* ---- the arguments of both languages */

uint64_t aa_request_handle(enum aa_language language, const void *requests, int i) {
    if (language == AA_C)
        return aa_handle(((const MPI_Request *)requests)[i]);
    return aa_handle(aa_request_f2c(((const MPI_Fint *)requests)[i]));
}

static bool ignores(enum aa_language language, const void *statuses) {
    if (language != AA_C)
        return aa_fortran_ignores(statuses);
    return statuses == (const void *)MPI_STATUS_IGNORE || statuses == (const void *)MPI_STATUSES_IGNORE;
}

static const MPI_Status *status_at(enum aa_language language, const void *statuses, int i, MPI_Status *room) {
    if (language == AA_C)
        return (const MPI_Status *)statuses + i;
    return aa_fortran_status((const MPI_Fint *)statuses + (ptrdiff_t)i * AA_FORTRAN_STATUS, room);
}

static int index_at(const struct aa_completion *completion, const void *indices, int i) {
    if (indices == NULL)
        return i;
    if (completion->language == AA_C)
        return ((const int *)indices)[i];
    return (int)((const MPI_Fint *)indices)[i] - completion->first_index;
}

/* ---- completing */

/*
 * Takes the answer to a completed synchronous send. Because the send has waited for its receive, there may be
 * an answer.
 */
static void take_answer(const struct aa_request *request) {
    if (!request->persistent) {
        aa_path_answered(request->question);
        return;
    }
    void **asked = request->question;
    aa_path_answered(*asked);
    *asked = NULL;
}

/* Frees the chain from the start of a receive, and releases the processes of the receive's communicator. */
static void let_go(const struct aa_request *request) {
    free(request->begun);
    if (request->peers)
        aa_mpi_peers_drop(request->peers);
}

/* Returns the bytes of a message. For a file, counts the bytes at once and returns 0. */
static uint64_t arrived_bytes(const struct aa_request *request, uint64_t bytes) {
    if (request->brings == AA_BRINGS_MESSAGE)
        return bytes;
    bool is_read = request->brings == AA_BRINGS_READ;
    aa_count_io(0, is_read ? bytes : 0, is_read ? 0 : bytes);
    aa_file_add(request->file, 0, is_read ? bytes : 0, is_read ? 0 : bytes, 0);
    return 0;
}

static bool is_cancelled(const struct aa_request *request, const MPI_Status *status) {
    int cancelled = 0;
    if (request->cancelled)
        aa_mpi.Test_cancelled(status, &cancelled);
    return cancelled;
}

/* Receives the chain of a message that has arrived. */
static void take_chain(const struct aa_request *request, const MPI_Status *status) {
    aa_path_received_later(request->peers,
                           request->peer == MPI_ANY_SOURCE ? status->MPI_SOURCE : request->peer,
                           request->tag == MPI_ANY_TAG ? status->MPI_TAG : request->tag, request->begun);
}

static uint64_t completed_bytes(uint64_t handle, uint64_t as_of, const MPI_Status *status) {
    struct aa_request request;
    if (!aa_requests_complete(handle, as_of, &request))
        return 0;
    if (request.beside && request.persistent)
        aa_path_repeated(request.beside);
    else if (request.beside)
        aa_path_complete(request.beside);
    if (request.question)
        take_answer(&request);
    if (request.brings == AA_BRINGS_NOTHING)
        return 0;
    bool cancelled = is_cancelled(&request, status);
    bool has_come =
        !request.persistent || request.active; /* an inactive persistent request has an empty status */
    if (request.peers && has_come && !cancelled)
        take_chain(&request, status);
    if (!request.persistent)
        let_go(&request);
    if (cancelled)
        return 0;
    return arrived_bytes(&request, aa_status_bytes(status));
}

/*
 * Provides space for the requests, and for as many statuses as the call may return; returns false if there is
 * not enough memory.
 */
static bool make_room(struct aa_completion *completion, size_t count) {
    completion->handles = completion->handles_on_stack;
    completion->statuses = completion->statuses_on_stack;
    if (count <= AA_REQUESTS_ON_STACK)
        return true;
    completion->allocated = malloc(count * (sizeof *completion->handles + sizeof(union aa_own_status)));
    if (completion->allocated == NULL)
        return false;
    completion->handles = completion->allocated;
    completion->statuses = completion->handles + count;
    return true;
}

/* Returns empty statuses, because the library need not fill in the statuses of sends. */
static void *own_statuses(struct aa_completion *completion, size_t count) {
    return memset(completion->statuses, 0, count * sizeof(union aa_own_status));
}

void *aa_completion_watch(struct aa_completion *completion, enum aa_language language, int count,
                          const void *requests, void *statuses) {
    completion->language = language;
    completion->count = count;
    completion->first_index = 0;
    completion->allocated = NULL;
    completion->watching =
        completion->call.counts && count > 0 && !aa_requests_none() && make_room(completion, (size_t)count);
    if (!completion->watching)
        return statuses;
    completion->as_of = aa_requests_now();
    for (int i = 0; i < count; i++)
        completion->handles[i] = aa_request_handle(language, requests, i);
    return ignores(language, statuses) ? own_statuses(completion, (size_t)count) : statuses;
}

/* Returns the number of bytes received by request i, which must be complete; 0 if it has failed. */
static uint64_t watched_bytes(const struct aa_completion *completion, int i, const MPI_Status *status,
                              bool failed) {
    uint64_t bytes = completed_bytes(completion->handles[i], completion->as_of, status);
    return failed ? 0 : bytes;
}

/* Ends the call. A test that completed nothing is not counted as a communicating call. */
static void end(struct aa_completion *completion, bool found, uint64_t received) {
    if (completion->call.counts && found)
        aa_count_mpi(1, 0, received);
    free(completion->allocated);
    aa_mpi_end(completion->call);
}

static void end_one(struct aa_completion *completion, int result, bool found, int i, const void *status) {
    MPI_Status room;
    uint64_t received = 0;
    if (completion->watching && i != MPI_UNDEFINED)
        received = watched_bytes(completion, i, status_at(completion->language, status, 0, &room),
                                 result != MPI_SUCCESS);
    end(completion, found && result == MPI_SUCCESS, received);
}

void aa_completion_end_one(struct aa_completion *completion, int result, int i, const void *status) {
    end_one(completion, result, i != MPI_UNDEFINED, i, status);
}

/* MPICH 4.0 adds Fortran's first index even to MPI_UNDEFINED, which is negative. */
void aa_completion_end_any(struct aa_completion *completion, int result, bool any, int index,
                           const void *status) {
    bool known = aa_mpi_took_part(result) && any && index >= completion->first_index &&
                 index - completion->first_index < completion->count;
    end_one(completion, result, any, known ? index - completion->first_index : MPI_UNDEFINED, status);
}

/*
 * Ends a call in which several requests have completed or failed: the listed requests, or all if indices is
 * NULL. Receives are handled before sends that wait for an answer, because a receive may send the answer for
 * which another process waits.
 */
static void end_many(struct aa_completion *completion, int result, bool found, int count, const void *indices,
                     const void *statuses) {
    uint64_t received = 0;
    bool one_by_one = result == MPI_ERR_IN_STATUS;
    bool known = completion->watching && (result == MPI_SUCCESS || one_by_one), has_asked = false;
    for (int pass = 0; known && pass <= has_asked; pass++)
        for (int i = 0; i < count; i++) {
            MPI_Status room;
            const MPI_Status *status = status_at(completion->language, statuses, i, &room);
            if (one_by_one && status->MPI_ERROR == MPI_ERR_PENDING)
                continue;
            int at = index_at(completion, indices, i);
            bool asks = aa_mpi_path && aa_requests_asks(completion->handles[at], completion->as_of);
            has_asked |= asks;
            if (asks == pass)
                received +=
                    watched_bytes(completion, at, status, one_by_one && status->MPI_ERROR != MPI_SUCCESS);
        }
    end(completion, found && (result == MPI_SUCCESS || one_by_one), received);
}

void aa_completion_end_some(struct aa_completion *completion, int result, int done, const void *indices,
                            const void *statuses) {
    end_many(completion, result, done != 0, done == MPI_UNDEFINED ? 0 : done, indices, statuses);
}

void aa_completion_end_all(struct aa_completion *completion, int result, bool all, int count,
                           const void *statuses) {
    bool found = all || result != MPI_SUCCESS;
    end_many(completion, result, found, found ? count : 0, NULL, statuses);
}

/* ---- starting */

void aa_count_started(enum aa_language language, int count, const void *requests) {
    struct aa_request request;
    uint64_t sent = 0, received = 0;
    for (int i = 0; i < count && !aa_requests_none(); i++)
        if (aa_requests_find(aa_request_handle(language, requests, i), &request)) {
            sent += request.sent;
            received += request.received;
            if (request.is_message)
                aa_messages_sent(request.receiver, request.sent);
        }
    aa_count_mpi(1, sent, received);
}

void aa_path_start(enum aa_language language, int count, const void *requests) {
    struct aa_request request;
    for (int i = 0; i < count && !aa_requests_none(); i++) {
        if (!aa_requests_start(aa_request_handle(language, requests, i), &request))
            continue;
        if (request.peers && request.brings == AA_BRINGS_MESSAGE)
            aa_path_begun_in(request.begun);
        else if (request.peers && request.question)
            *(void **)request.question = aa_path_ask_among(request.peers, request.peer, request.tag);
        else if (request.peers)
            aa_path_send_among(request.peers, request.peer, request.tag);
        if (request.persistent && request.beside)
            aa_path_repeat(request.beside);
    }
}

/*
 * Receives the chain for a completed receive that the program frees, because no later call would receive it.
 */
static void take_freed(const struct aa_request *freed, MPI_Request request) {
    int complete = 0;
    MPI_Status status;
    if (freed->peers && !freed->persistent && freed->brings == AA_BRINGS_MESSAGE &&
        aa_mpi.Request_get_status(request, &complete, &status) == MPI_SUCCESS && complete &&
        !is_cancelled(freed, &status))
        take_chain(freed, &status);
}

void aa_request_freed(enum aa_language language, const void *request) {
    uint64_t handle = aa_request_handle(language, request, 0);
    struct aa_request freed;
    if (aa_requests_find(handle, &freed)) {
        take_freed(&freed, language == AA_C ? *(const MPI_Request *)request
                                            : aa_request_f2c(*(const MPI_Fint *)request));
        if (freed.persistent && freed.beside)
            aa_path_repeat_ends(freed.beside);
        if (freed.question)
            take_answer(&freed);
        if (freed.persistent)
            free(freed.question);
        let_go(&freed);
    }
    aa_requests_forget(handle);
}
