/* MPI_Init, MPI_Finalize and MPI_Abort: from when to when bytes are counted, and what the shard is told. */
#include "mpi_fortran.h"
#include "mpi_library.h"
#include "mpi_request_table.h"

static const char init_region[] = AA_DESCRIPTOR_VERSION "|mpi|MPI_Init|||0|0|0";
static const char finalize_region[] = AA_DESCRIPTOR_VERSION "|mpi|MPI_Finalize|||0|0|0";

/* ---- in either language; Fortran's function may call C's, which is nothing new then */

AA_IN_CALLERS_FRAME struct aa_mpi_call init_begins(void) {
    if (aa_mpi_is_outermost())
        aa_probe_enter(init_region);
    return aa_mpi_begin(AA_SHARE_MPI);
}

static bool is_spawned(void) {
    MPI_Comm parent = aa_mpi.no_comm;
    return aa_mpi.Comm_get_parent(&parent) == MPI_SUCCESS && parent != aa_mpi.no_comm;
}

static void init_ends(struct aa_mpi_call call, int result) {
    int rank = -1, size = -1, provided = MPI_THREAD_SINGLE;
    if (call.outermost && result == MPI_SUCCESS) {
        aa_mpi.Comm_rank(aa_mpi.world, &rank);
        aa_mpi.Comm_size(aa_mpi.world, &size);
        aa_mpi.Query_thread(&provided);
        if (provided == MPI_THREAD_MULTIPLE)
            aa_requests_share();
        aa_count_mpi(1, 0, 0);
    }
    aa_mpi_end(call);
    if (!call.outermost)
        return;
    aa_probe_exit(init_region);
    if (result != MPI_SUCCESS)
        return;
    aa_process_mpi_initialised(rank, size, is_spawned());
    aa_process_thread_level(provided);
    aa_mpi.live = true;
}

struct finalize {
    bool first; /* an error handler may call it, too, from within another call */
    struct aa_mpi_call call;
};

AA_IN_CALLERS_FRAME struct finalize finalize_begins(void) {
    bool first = aa_mpi.live;
    aa_mpi.live = false;
    if (first) {
        aa_process_mpi_finalising();
        aa_probe_enter(finalize_region);
    }
    return (struct finalize){first, aa_mpi_begin(AA_SHARE_MPI)};
}

static void finalize_ends(struct finalize finalize) {
    if (finalize.first)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(finalize.call);
    if (!finalize.first)
        return;
    aa_probe_exit(finalize_region);
    aa_process_mpi_finalised();
}

/* ---- C */

AA_EXPORT int MPI_Init(int *argc, char ***argv) {
    struct aa_mpi_call call = init_begins();
    int result = aa_mpi.Init(argc, argv);
    init_ends(call, result);
    return result;
}

AA_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    struct aa_mpi_call call = init_begins();
    int result = aa_mpi.Init_thread(argc, argv, required, provided);
    init_ends(call, result);
    return result;
}

AA_EXPORT int MPI_Finalize(void) {
    struct finalize finalize = finalize_begins();
    int result = aa_mpi.Finalize();
    finalize_ends(finalize);
    return result;
}

AA_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
    if (!aa_mpi_is_bound())
        aa_mpi_bind();
    aa_process_aborting(code);
    return aa_mpi.Abort(comm, code);
}

/* ---- Fortran */

AA_FORTRAN_FUNCTION(init, (MPI_Fint * error), (error)) {
    struct aa_mpi_call call = init_begins();
    next(error);
    init_ends(call, (int)*error);
}

AA_FORTRAN_FUNCTION(init_thread, (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *error),
                    (required, provided, error)) {
    struct aa_mpi_call call = init_begins();
    next(required, provided, error);
    init_ends(call, (int)*error);
}

AA_FORTRAN_FUNCTION(finalize, (MPI_Fint * error), (error)) {
    struct finalize finalize = finalize_begins();
    next(error);
    finalize_ends(finalize);
}

AA_FORTRAN_FUNCTION(abort, (MPI_Fint * comm, MPI_Fint *code, MPI_Fint *error), (comm, code, error)) {
    aa_process_aborting((int)*code);
    next(comm, code, error);
}
