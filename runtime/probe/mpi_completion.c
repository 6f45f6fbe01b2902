/* Starting, completing, cancelling and freeing requests: where received bytes become known. */
#include <stdlib.h>

#include "mpi_bytes.h"
#include "mpi_requests.h"
#include "mpi_request_table.h"

/* Requests that are looked at in one call without allocating. */
#define ON_STACK 64

static uint64_t completed_bytes(uint64_t handle, uint64_t as_of, const MPI_Status *status) {
    struct aa_request request;
    int cancelled = 0;
    if (!aa_requests_complete(handle, as_of, &request) || !request.receives)
        return 0;
    if (request.cancelled && aa_mpi.Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled)
        return 0;
    return aa_status_bytes(status);
}

/*
 * What a completing call needs besides its arguments: the handles, which the library overwrites, and statuses
 * of its own where the program ignores them. Not watching where nothing can be learnt, or memory is short.
 */
struct watch {
    bool watching;
    uint64_t as_of;
    uint64_t *handles;
    MPI_Status *statuses;
    void *allocated;
    uint64_t handles_on_stack[ON_STACK];
    MPI_Status statuses_on_stack[ON_STACK];
};

/* Places for count requests and as many statuses as the call may return. */
static bool make_room(struct watch *watch, size_t count) {
    watch->handles = watch->handles_on_stack;
    watch->statuses = watch->statuses_on_stack;
    watch->allocated = NULL;
    if (count <= ON_STACK)
        return true;
    watch->allocated = malloc(count * (sizeof *watch->handles + sizeof *watch->statuses));
    if (watch->allocated == NULL)
        return false;
    watch->handles = watch->allocated;
    watch->statuses = (MPI_Status *)(watch->handles + count);
    return true;
}

static void watch_begin(struct watch *watch, int count, const MPI_Request requests[]) {
    watch->allocated = NULL;
    watch->watching = count > 0 && !aa_requests_none() && make_room(watch, (size_t)count);
    if (!watch->watching)
        return;
    watch->as_of = aa_requests_now();
    for (int i = 0; i < count; i++)
        watch->handles[i] = aa_handle(requests[i]);
}

static void watch_end(struct watch *watch) {
    free(watch->allocated);
}

static MPI_Status *status_to_use(struct watch *watch, MPI_Status *theirs) {
    return watch->watching && theirs == MPI_STATUS_IGNORE ? watch->statuses : theirs;
}

static MPI_Status *statuses_to_use(struct watch *watch, MPI_Status *theirs) {
    return watch->watching && theirs == MPI_STATUSES_IGNORE ? watch->statuses : theirs;
}

/* The bytes that request i, now complete, brought; the failed ones are forgotten. */
static uint64_t watched_bytes(const struct watch *watch, int i, const MPI_Status *status, bool failed) {
    uint64_t bytes = completed_bytes(watch->handles[i], watch->as_of, status);
    return failed ? 0 : bytes;
}

static void count_one(struct aa_mpi_call call, const struct watch *watch, int result, int i,
                      const MPI_Status *status) {
    uint64_t received = 0;
    if (watch->watching && i != MPI_UNDEFINED)
        received = watched_bytes(watch, i, status, result != MPI_SUCCESS);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_mpi(1, 0, received);
}

/* All of the requests (indices is NULL) or the listed ones have completed, or failed one by one. */
static void count_many(struct aa_mpi_call call, const struct watch *watch, int result, int count,
                       const int indices[], const MPI_Status statuses[]) {
    uint64_t received = 0;
    bool one_by_one = result == MPI_ERR_IN_STATUS;
    if (watch->watching && (result == MPI_SUCCESS || one_by_one))
        for (int i = 0; i < count; i++) {
            if (one_by_one && statuses[i].MPI_ERROR == MPI_ERR_PENDING)
                continue;
            received += watched_bytes(watch, indices != NULL ? indices[i] : i, &statuses[i],
                                      one_by_one && statuses[i].MPI_ERROR != MPI_SUCCESS);
        }
    if (call.counts && (result == MPI_SUCCESS || one_by_one))
        aa_count_mpi(1, 0, received);
}

AA_EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, 1, request);
    status = status_to_use(&watch, status);
    int result = aa_mpi.Wait(request, status);
    count_one(call, &watch, result, 0, status);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, 1, request);
    status = status_to_use(&watch, status);
    int result = aa_mpi.Test(request, flag, status);
    count_one(call, &watch, result, result == MPI_SUCCESS && !*flag ? MPI_UNDEFINED : 0, status);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, count, requests);
    status = status_to_use(&watch, status);
    int result = aa_mpi.Waitany(count, requests, index, status);
    count_one(call, &watch, result, result == MPI_SUCCESS ? *index : MPI_UNDEFINED, status);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, count, requests);
    status = status_to_use(&watch, status);
    int result = aa_mpi.Testany(count, requests, index, flag, status);
    count_one(call, &watch, result, result == MPI_SUCCESS && *flag ? *index : MPI_UNDEFINED, status);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, count, requests);
    statuses = statuses_to_use(&watch, statuses);
    int result = aa_mpi.Waitall(count, requests, statuses);
    count_many(call, &watch, result, count, NULL, statuses);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, count, requests);
    statuses = statuses_to_use(&watch, statuses);
    int result = aa_mpi.Testall(count, requests, flag, statuses);
    count_many(call, &watch, result, result == MPI_SUCCESS && !*flag ? 0 : count, NULL, statuses);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
                           MPI_Status statuses[]) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, count, requests);
    statuses = statuses_to_use(&watch, statuses);
    int result = aa_mpi.Waitsome(count, requests, done, indices, statuses);
    count_many(call, &watch, result, *done == MPI_UNDEFINED ? 0 : *done, indices, statuses);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
                           MPI_Status statuses[]) {
    struct aa_mpi_call call = aa_mpi_begin();
    struct watch watch;
    watch_begin(&watch, count, requests);
    statuses = statuses_to_use(&watch, statuses);
    int result = aa_mpi.Testsome(count, requests, done, indices, statuses);
    count_many(call, &watch, result, *done == MPI_UNDEFINED ? 0 : *done, indices, statuses);
    watch_end(&watch);
    aa_mpi_end(call);
    return result;
}

/* What starting these persistent requests hands over and, for collectives, gets. */
static void count_started(int count, const MPI_Request requests[]) {
    struct aa_request request;
    uint64_t sent = 0, received = 0;
    for (int i = 0; i < count && !aa_requests_none(); i++)
        if (aa_requests_find(aa_handle(requests[i]), &request)) {
            sent += request.sent;
            received += request.received;
        }
    aa_count_mpi(1, sent, received);
}

AA_EXPORT int MPI_Start(MPI_Request *request) {
    struct aa_mpi_call call = aa_mpi_begin();
    int result = aa_mpi.Start(request);
    if (call.counts && result == MPI_SUCCESS)
        count_started(1, request);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
    struct aa_mpi_call call = aa_mpi_begin();
    int result = aa_mpi.Startall(count, requests);
    if (call.counts && result == MPI_SUCCESS)
        count_started(count, requests);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Cancel(MPI_Request *request) {
    struct aa_mpi_call call = aa_mpi_begin();
    aa_requests_cancel(aa_handle(*request));
    int result = aa_mpi.Cancel(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Request_free(MPI_Request *request) {
    struct aa_mpi_call call = aa_mpi_begin();
    aa_requests_forget(aa_handle(*request));
    int result = aa_mpi.Request_free(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
    return result;
}
