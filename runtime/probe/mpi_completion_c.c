/* Starting, completing, cancelling and freeing requests in C. */
#include "mpi_completion.h"
#include "mpi_request_table.h"

AA_EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Wait"), 1, request, status);
    int result = aa_mpi.Wait(request, status);
    aa_completion_end_one(&completion, result, 0, status);
    return result;
}

AA_EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Test"), 1, request, status);
    int result = aa_mpi.Test(request, flag, status);
    aa_completion_end_one(&completion, result, result == MPI_SUCCESS && !*flag ? MPI_UNDEFINED : 0, status);
    return result;
}

AA_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Waitany"), count, requests, status);
    int result = aa_mpi.Waitany(count, requests, index, status);
    aa_completion_end_any(&completion, result, true, *index, status);
    return result;
}

AA_EXPORT int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Testany"), count, requests, status);
    int result = aa_mpi.Testany(count, requests, index, flag, status);
    aa_completion_end_any(&completion, result, *flag, *index, status);
    return result;
}

AA_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Waitall"), count, requests, statuses);
    int result = aa_mpi.Waitall(count, requests, statuses);
    aa_completion_end_all(&completion, result, true, count, statuses);
    return result;
}

AA_EXPORT int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Testall"), count, requests, statuses);
    int result = aa_mpi.Testall(count, requests, flag, statuses);
    aa_completion_end_all(&completion, result, *flag, count, statuses);
    return result;
}

AA_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
                           MPI_Status statuses[]) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Waitsome"), count, requests, statuses);
    int result = aa_mpi.Waitsome(count, requests, done, indices, statuses);
    aa_completion_end_some(&completion, result, *done, indices, statuses);
    return result;
}

AA_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
                           MPI_Status statuses[]) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, AA_C, AA_MPI_REGION("Testsome"), count, requests, statuses);
    int result = aa_mpi.Testsome(count, requests, done, indices, statuses);
    aa_completion_end_some(&completion, result, *done, indices, statuses);
    return result;
}

AA_EXPORT int MPI_Start(MPI_Request *request) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Start"));
    int result = aa_mpi.Start(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_started(AA_C, 1, request);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Startall"));
    int result = aa_mpi.Startall(count, requests);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_started(AA_C, count, requests);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Cancel(MPI_Request *request) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Cancel"));
    if (call.counts)
        aa_requests_cancel(aa_request_handle(AA_C, request, 0));
    int result = aa_mpi.Cancel(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
    return result;
}

AA_EXPORT int MPI_Request_free(MPI_Request *request) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION("Request_free"));
    if (call.counts)
        aa_requests_forget(aa_request_handle(AA_C, request, 0));
    int result = aa_mpi.Request_free(request);
    if (call.counts && result == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
    return result;
}
