/* MPI_Init, MPI_Finalize and MPI_Abort: from when to when bytes are counted, and what the shard is told. */
#include "mpi_library.h"
#include "mpi_request_table.h"

static const char init_region[] = AA_DESCRIPTOR_VERSION "|mpi|MPI_Init|||0|0|0";
static const char finalize_region[] = AA_DESCRIPTOR_VERSION "|mpi|MPI_Finalize|||0|0|0";

static struct aa_mpi_call init_begins(void) {
    aa_probe_enter(init_region);
    return aa_mpi_begin();
}

static void init_ends(struct aa_mpi_call call, int result) {
    int rank = -1, size = -1, provided = MPI_THREAD_SINGLE;
    if (result == MPI_SUCCESS) {
        aa_mpi.Comm_rank(aa_mpi.world, &rank);
        aa_mpi.Comm_size(aa_mpi.world, &size);
        aa_mpi.Query_thread(&provided);
        if (provided == MPI_THREAD_MULTIPLE)
            aa_requests_share();
        aa_count_mpi(1, 0, 0);
    }
    aa_mpi_end(call);
    aa_probe_exit(init_region);
    if (result != MPI_SUCCESS)
        return;
    aa_process_mpi_initialised(rank, size);
    aa_process_thread_level(provided);
    aa_mpi.live = true;
}

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
    aa_mpi.live = false;
    aa_process_mpi_finalising();
    aa_probe_enter(finalize_region);
    struct aa_mpi_call call = aa_mpi_begin();
    int result = aa_mpi.Finalize();
    aa_count_mpi(1, 0, 0);
    aa_mpi_end(call);
    aa_probe_exit(finalize_region);
    aa_process_mpi_finalised();
    return result;
}

AA_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
    if (!aa_mpi.bound)
        aa_mpi_bind();
    aa_process_aborting(code);
    return aa_mpi.Abort(comm, code);
}
