/* Sessions: programs without MPI_Init, which begin with the first and end with the last of them. */
#include "mpi_fortran.h"
#include "mpi_library.h"
#include "mpi_request_table.h"

#ifdef AA_HAS_SESSIONS

static const char init_region[] = AA_DESCRIPTOR_VERSION "|mpi|MPI_Init|||0|0|0";
static const char finalize_region[] = AA_DESCRIPTOR_VERSION "|mpi|MPI_Finalize|||0|0|0";

static _Atomic int sessions; /* that are open */
static bool begun_by_session;

struct session_call {
    bool first; /* before it and after it there is no MPI */
    struct aa_mpi_call call;
};

static bool is_outside_mpi(void) {
    return !aa_mpi.live && aa_mpi_is_outermost();
}

AA_IN_CALLERS_FRAME struct session_call init_begins(void) {
    bool first = is_outside_mpi();
    if (first)
        aa_probe_enter(init_region);
    return (struct session_call){first, aa_mpi_begin(AA_SHARE_MPI)};
}

/* Without MPI_COMM_WORLD the set of all processes tells the rank. */
static void find_rank(MPI_Session session, int *rank, int *size) {
    MPI_Group group;
    if (aa_mpi.Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS)
        return;
    aa_mpi.Group_rank(group, rank);
    aa_mpi.Group_size(group, size);
    aa_mpi.Group_free(&group);
}

static void init_ends(struct session_call init, int result, MPI_Session session) {
    int rank = -1, size = -1;
    if (init.call.outermost && result == MPI_SUCCESS) {
        sessions++;
        if (init.first)
            find_rank(session, &rank, &size);
        aa_count_mpi(1, 0, 0);
    }
    aa_mpi_end(init.call);
    if (!init.first)
        return;
    aa_probe_exit(init_region);
    if (result != MPI_SUCCESS)
        return;
    aa_requests_share(); /* what a session provides of threads is its own matter */
    aa_process_mpi_initialised(rank, size, false);
    aa_mpi.live = begun_by_session = true;
}

AA_IN_CALLERS_FRAME struct session_call finalize_begins(void) {
    bool last = begun_by_session && aa_mpi.live && aa_mpi_is_outermost() && sessions == 1;
    if (last) {
        aa_mpi.live = false;
        aa_process_mpi_finalising();
        aa_probe_enter(finalize_region);
    }
    return (struct session_call){last, aa_mpi_begin(AA_SHARE_MPI)};
}

static void finalize_ends(struct session_call finalize, int result) {
    if (finalize.call.outermost && result == MPI_SUCCESS) {
        sessions--;
        if (finalize.first || finalize.call.counts)
            aa_count_mpi(1, 0, 0);
    }
    aa_mpi_end(finalize.call);
    if (!finalize.first)
        return;
    aa_probe_exit(finalize_region);
    aa_process_mpi_finalised();
}

AA_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session) {
    struct session_call init = init_begins();
    int result = aa_mpi.Session_init(info, handler, session);
    init_ends(init, result, *session);
    return result;
}

AA_EXPORT int MPI_Session_finalize(MPI_Session *session) {
    struct session_call finalize = finalize_begins();
    int result = aa_mpi.Session_finalize(session);
    finalize_ends(finalize, result);
    return result;
}

AA_FORTRAN_FUNCTION(session_init, (MPI_Fint * info, MPI_Fint *handler, MPI_Fint *session, MPI_Fint *error),
                    (info, handler, session, error)) {
    struct session_call init = init_begins();
    next(info, handler, session, error);
    init_ends(init, (int)*error, aa_session_f2c(*session));
}

AA_FORTRAN_FUNCTION(session_finalize, (MPI_Fint * session, MPI_Fint *error), (session, error)) {
    struct session_call finalize = finalize_begins();
    next(session, error);
    finalize_ends(finalize, (int)*error);
}

#endif
