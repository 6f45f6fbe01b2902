/* Starting, completing, cancelling and freeing requests in Fortran. */
#include "mpi_completion.h"
#include "mpi_path.h"
#include "mpi_request_table.h"

AA_FORTRAN_FUNCTION(wait, (MPI_Fint * request, MPI_Fint *status, MPI_Fint *error), (request, status, error)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Wait", caller), 1, request,
                                 status);
    next(request, status, error);
    aa_completion_end_one(&completion, (int)*error, 0, status);
}

AA_FORTRAN_FUNCTION(test, (MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error),
                    (request, flag, status, error)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Test", caller), 1, request,
                                 status);
    next(request, flag, status, error);
    aa_completion_end_one(&completion, (int)*error, *error == MPI_SUCCESS && !*flag ? MPI_UNDEFINED : 0,
                          status);
}

/* ---- indices */

typedef void testany(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status,
                     MPI_Fint *error);

/*
 * Returns the index that the library reports for the first request in a list. The list has only one request,
 * which is complete from the start.
 */
static int measure_first_index(testany *ask) {
    MPI_Request request;
    if (aa_mpi.Irecv(NULL, 0, aa_mpi.byte, MPI_PROC_NULL, 0, aa_mpi.world, &request) != MPI_SUCCESS)
        return 1;
    MPI_Fint handle = aa_request_c2f(request), count = 1, index = 1, flag = 0, error = MPI_SUCCESS;
    union aa_own_status status;
    ask(&count, &handle, &index, &flag, status.fortran, &error);
    return index == 0 ? 0 : 1;
}

/*
 * Sets the first index: 1 in the MPI standard, 0 in MPICH 4.0's mpi_f08. It is measured once, after the
 * program's call has returned.
 */
static void find_first_index(struct aa_completion *completion, void *next) {
    static int known[] = {[AA_FORTRAN] = -1, [AA_FORTRAN_2008] = -1};
    enum aa_language language = completion->language;
    if (completion->watching && known[language] < 0) {
        testany *ask = aa_symbol_near(next, language == AA_FORTRAN ? "mpi_testany_" : "mpi_testany_f08_");
        known[language] = ask != NULL ? measure_first_index(ask) : 1;
    }
    completion->first_index = known[language];
}

/* ---- several requests */

AA_FORTRAN_FUNCTION(waitany,
                    (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status,
                     MPI_Fint *error),
                    (count, requests, index, status, error)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Waitany", caller),
                                 (int)*count, requests, status);
    next(count, requests, index, status, error);
    find_first_index(&completion, next);
    aa_completion_end_any(&completion, (int)*error, true, (int)*index, status);
}

AA_FORTRAN_FUNCTION(testany,
                    (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status,
                     MPI_Fint *error),
                    (count, requests, index, flag, status, error)) {
    struct aa_completion completion;
    status = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Testany", caller),
                                 (int)*count, requests, status);
    next(count, requests, index, flag, status, error);
    find_first_index(&completion, next);
    aa_completion_end_any(&completion, (int)*error, *flag != 0, (int)*index, status);
}

AA_FORTRAN_FUNCTION(waitall, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *error),
                    (count, requests, statuses, error)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Waitall", caller),
                                   (int)*count, requests, statuses);
    next(count, requests, statuses, error);
    aa_completion_end_all(&completion, (int)*error, true, (int)*count, statuses);
}

AA_FORTRAN_FUNCTION(testall,
                    (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses,
                     MPI_Fint *error),
                    (count, requests, flag, statuses, error)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Testall", caller),
                                   (int)*count, requests, statuses);
    next(count, requests, flag, statuses, error);
    aa_completion_end_all(&completion, (int)*error, *flag != 0, (int)*count, statuses);
}

AA_FORTRAN_FUNCTION(waitsome,
                    (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
                     MPI_Fint *statuses, MPI_Fint *error),
                    (count, requests, done, indices, statuses, error)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Waitsome", caller),
                                   (int)*count, requests, statuses);
    next(count, requests, done, indices, statuses, error);
    find_first_index(&completion, next);
    aa_completion_end_some(&completion, (int)*error, (int)*done, indices, statuses);
}

AA_FORTRAN_FUNCTION(testsome,
                    (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
                     MPI_Fint *statuses, MPI_Fint *error),
                    (count, requests, done, indices, statuses, error)) {
    struct aa_completion completion;
    statuses = aa_completion_begin(&completion, form->language, AA_MPI_REGION_OF("Testsome", caller),
                                   (int)*count, requests, statuses);
    next(count, requests, done, indices, statuses, error);
    find_first_index(&completion, next);
    aa_completion_end_some(&completion, (int)*error, (int)*done, indices, statuses);
}

/* ---- persistent requests, cancelling and freeing */

AA_FORTRAN_FUNCTION(start, (MPI_Fint * request, MPI_Fint *error), (request, error)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION_OF("Start", caller));
    if (aa_mpi_has_path(call))
        aa_path_start(form->language, 1, request);
    next(request, error);
    if (call.counts && *error == MPI_SUCCESS)
        aa_count_started(form->language, 1, request);
    aa_mpi_end(call);
}

AA_FORTRAN_FUNCTION(startall, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *error),
                    (count, requests, error)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION_OF("Startall", caller));
    if (aa_mpi_has_path(call))
        aa_path_start(form->language, (int)*count, requests);
    next(count, requests, error);
    if (call.counts && *error == MPI_SUCCESS)
        aa_count_started(form->language, (int)*count, requests);
    aa_mpi_end(call);
}

AA_FORTRAN_FUNCTION(cancel, (MPI_Fint * request, MPI_Fint *error), (request, error)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION_OF("Cancel", caller));
    if (call.counts)
        aa_requests_cancel(aa_request_handle(form->language, request, 0));
    next(request, error);
    if (call.counts && *error == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
}

AA_FORTRAN_FUNCTION(request_free, (MPI_Fint * request, MPI_Fint *error), (request, error)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_MPI_REQUEST, AA_MPI_REGION_OF("Request_free", caller));
    if (call.counts)
        aa_request_freed(form->language, request);
    next(request, error);
    if (call.counts && *error == MPI_SUCCESS)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
}
