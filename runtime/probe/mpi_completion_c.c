/* Starting, completing, cancelling and freeing requests in C. */
#include "mpi_completion.h"
#include "mpi_path.h"
#include "mpi_request_table.h"

AA_MPI_FUNCTION(Wait, (MPI_Request * request, MPI_Status *status), (request, status)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Wait"), 1, request, status);
    int result = (*next)(request, status);
    aa_completion_end_one(&completion, result, 0, status);
    return result;
}

AA_MPI_FUNCTION(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Test"), 1, request, status);
    int result = (*next)(request, flag, status);
    aa_completion_end_one(&completion, result, result == MPI_SUCCESS && !*flag ? MPI_UNDEFINED : 0, status);
    return result;
}

AA_MPI_FUNCTION(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
                (count, requests, index, status)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Waitany"), count, requests, status);
    int result = (*next)(count, requests, index, status);
    aa_completion_end_any(&completion, result, true, *index, status);
    return result;
}

AA_MPI_FUNCTION(Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
                (count, requests, index, flag, status)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Testany"), count, requests, status);
    int result = (*next)(count, requests, index, flag, status);
    aa_completion_end_any(&completion, result, *flag, *index, status);
    return result;
}

AA_MPI_FUNCTION(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
                (count, requests, statuses)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Waitall"), count, requests, statuses);
    int result = (*next)(count, requests, statuses);
    aa_completion_end_all(&completion, result, true, count, statuses);
    return result;
}

AA_MPI_FUNCTION(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]),
                (count, requests, flag, statuses)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Testall"), count, requests, statuses);
    int result = (*next)(count, requests, flag, statuses);
    aa_completion_end_all(&completion, result, *flag, count, statuses);
    return result;
}

AA_MPI_FUNCTION(Waitsome,
                (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
                (count, requests, done, indices, statuses)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Waitsome"), count, requests, statuses);
    int result = (*next)(count, requests, done, indices, statuses);
    aa_completion_end_some(&completion, result, *done, indices, statuses);
    return result;
}

AA_MPI_FUNCTION(Testsome,
                (int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]),
                (count, requests, done, indices, statuses)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Testsome"), count, requests, statuses);
    int result = (*next)(count, requests, done, indices, statuses);
    aa_completion_end_some(&completion, result, *done, indices, statuses);
    return result;
}

AA_MPI_FUNCTION(Start, (MPI_Request * request), (request)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Start"));
    if (aa_mpi_has_path(call))
        aa_path_start(AA_C, 1, request);
    int result = (*next)(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_started(AA_C, 1, request);
    aa_mpi_end(call);
    return result;
}

AA_MPI_FUNCTION(Startall, (int count, MPI_Request requests[]), (count, requests)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Startall"));
    if (aa_mpi_has_path(call))
        aa_path_start(AA_C, count, requests);
    int result = (*next)(count, requests);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_started(AA_C, count, requests);
    aa_mpi_end(call);
    return result;
}

AA_MPI_FUNCTION(Cancel, (MPI_Request * request), (request)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Cancel"));
    if (call.counts)
        aa_requests_cancel(aa_request_handle(AA_C, request, 0));
    int result = (*next)(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
    return result;
}

AA_MPI_FUNCTION(Request_free, (MPI_Request * request), (request)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Request_free"));
    if (call.counts)
        aa_request_freed(AA_C, request);
    int result = (*next)(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
    return result;
}
