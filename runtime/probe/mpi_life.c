/*
 * The lifetime of MPI, in which calls and bytes are counted, and its record in the shard: from MPI_Init to
 * MPI_Finalize, or from the beginning of the first session to the end of the last. Also MPI_Abort.
 */
#include "mpi_fortran.h"
#include "mpi_library.h"
#include "mpi_messages.h"
#include "mpi_past.h"
#include "mpi_path.h"
#include "mpi_request_table.h"
#include "mpi_split.h"

static const char init_region[] = AA_MPI_DESCRIPTOR("Init");
static const char finalize_region[] = AA_MPI_DESCRIPTOR("Finalize");

static _Atomic int sessions; /* number of open sessions */

struct step {
    bool is_region; /* whether MPI begins or ends with this call; if so, the call has a region */
    struct aa_mpi_call call;
};

/* Returns no region for a call site, because MPI_Init and MPI_Finalize have their own regions. */
static inline struct aa_mpi_region no_region(const void *caller) {
    return (struct aa_mpi_region){NULL, caller};
}

/* ---- in either language; the Fortran function may call the C function, which then changes nothing */

AA_IN_CALLERS_FRAME struct step init_begins(bool is_region) {
    if (is_region)
        aa_probe_enter(init_region);
    return (struct step){is_region, aa_mpi_begin(AA_MPI_START_END, no_region(__builtin_return_address(0)))};
}

static bool has_begun(struct step init, int result) {
    return init.call.outermost && result == MPI_SUCCESS;
}

static void init_ends(struct step init, int result) {
    if (has_begun(init, result))
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(init.call);
    if (init.is_region)
        aa_probe_exit(init_region);
}

AA_IN_CALLERS_FRAME struct step finalize_begins(bool is_region) {
    if (is_region) {
        aa_mpi.live = false;
        aa_process_mpi_finalising();
        if (aa_mpi_is_called_past())
            aa_process_mpi_past();
        aa_probe_enter(finalize_region);
    }
    return (struct step){is_region, aa_mpi_begin(AA_MPI_START_END, no_region(__builtin_return_address(0)))};
}

static void finalize_ends(struct step finalize, bool counts) {
    if (counts)
        aa_count_mpi(1, 0, 0);
    aa_mpi_end(finalize.call);
    if (!finalize.is_region)
        return;
    aa_probe_exit(finalize_region);
    if (!aa_mpi.live)
        aa_process_mpi_finalised();
    aa_mpi.live = sessions > 0;
}

/* ---- MPI_Init and MPI_Finalize */

static bool is_spawned(void) {
    MPI_Comm parent = aa_mpi.no_comm;
    return aa_mpi.Comm_get_parent(&parent) == MPI_SUCCESS && parent != aa_mpi.no_comm;
}

AA_IN_CALLERS_FRAME struct step world_begins(void) {
    aa_mpi_end_left();
    struct step init = init_begins(aa_mpi_is_outermost());
    aa_mpi_path_announce();
    return init;
}

static void world_has_begun(struct step init, int result) {
    int rank = -1, size = -1, provided = MPI_THREAD_SINGLE;
    if (has_begun(init, result)) {
        aa_mpi.Comm_rank(aa_mpi.world, &rank);
        aa_mpi.Comm_size(aa_mpi.world, &size);
        aa_mpi.Query_thread(&provided);
        if (provided == MPI_THREAD_MULTIPLE)
            aa_requests_share();
    }
    if (has_begun(init, result)) {
        aa_mpi_messages_begin(size, is_spawned());
        aa_mpi_path_begins(rank, size, is_spawned());
    }
    init_ends(init, result);
    if (!has_begun(init, result))
        return;
    aa_process_mpi_initialised(rank, size, is_spawned());
    aa_process_thread_level(provided);
    aa_mpi_split_begins();
    aa_mpi.live = aa_mpi.in_world = true;
}

/* Ends MPI only once, because an error handler may also call MPI_Finalize, from inside another call. */
AA_IN_CALLERS_FRAME struct step world_ends(void) {
    aa_mpi_end_left();
    bool is_first = atomic_exchange(&aa_mpi.in_world, false);
    if (is_first)
        aa_mpi_split_ends();
    struct step finalize = finalize_begins(is_first);
    if (is_first) {
        aa_mpi_path_ends();
        aa_mpi_messages_end();
    }
    return finalize;
}

AA_MPI_WRAPPER(Init, false, (int *argc, char ***argv), (argc, argv)) {
    struct step init = world_begins();
    int result = (*next)(argc, argv);
    world_has_begun(init, result);
    return result;
}

AA_MPI_WRAPPER(Init_thread, false, (int *argc, char ***argv, int required, int *provided),
               (argc, argv, required, provided)) {
    struct step init = world_begins();
    int result = (*next)(argc, argv, required, provided);
    world_has_begun(init, result);
    return result;
}

AA_MPI_WRAPPER(Finalize, false, (), ()) {
    struct step finalize = world_ends();
    int result = (*next)();
    finalize_ends(finalize, finalize.is_region);
    return result;
}

AA_FORTRAN_FUNCTION(init, (MPI_Fint * error), (error)) {
    struct step init = world_begins();
    next(error);
    world_has_begun(init, (int)*error);
}

AA_FORTRAN_FUNCTION(init_thread, (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *error),
                    (required, provided, error)) {
    struct step init = world_begins();
    next(required, provided, error);
    world_has_begun(init, (int)*error);
}

AA_FORTRAN_FUNCTION(finalize, (MPI_Fint * error), (error)) {
    struct step finalize = world_ends();
    next(error);
    finalize_ends(finalize, finalize.is_region);
}

/* ---- sessions */

#ifdef AA_HAS_SESSIONS

/* Each session chooses a thread level, so requests are shared from the start. */
AA_IN_CALLERS_FRAME struct step session_begins(void) {
    aa_requests_share();
    aa_mpi_end_left();
    return init_begins(!aa_mpi.live && aa_mpi_is_outermost());
}

/*
 * Finds the rank of the process and the number of processes without MPI_COMM_WORLD, in the session's set of
 * all processes.
 */
static void find_rank(MPI_Session session, int *rank, int *size) {
    MPI_Group group;
    if (aa_mpi.Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS)
        return;
    aa_mpi.Group_rank(group, rank);
    aa_mpi.Group_size(group, size);
    aa_mpi.Group_free(&group);
}

static void session_has_begun(struct step init, int result, MPI_Session session) {
    int rank = -1, size = -1;
    if (has_begun(init, result)) {
        sessions++;
        if (init.is_region)
            find_rank(session, &rank, &size);
    }
    init_ends(init, result);
    if (has_begun(init, result) && !atomic_exchange(&aa_mpi.live, true)) {
        aa_process_mpi_initialised(rank, size, false);
        aa_mpi_path_of_sessions(size);
    }
}

AA_IN_CALLERS_FRAME struct step session_ends(void) {
    aa_mpi_end_left();
    bool is_last = aa_mpi_is_outermost() && atomic_fetch_sub(&sessions, 1) == 1;
    return finalize_begins(is_last && !aa_mpi.in_world);
}

static void session_has_ended(struct step finalize, int result) {
    bool ended = finalize.call.outermost && result == MPI_SUCCESS;
    if (finalize.call.outermost && !ended)
        sessions++;
    finalize_ends(finalize, ended && (finalize.is_region || finalize.call.counts));
}

AA_MPI_WRAPPER(Session_init, false, (MPI_Info info, MPI_Errhandler handler, MPI_Session *session),
               (info, handler, session)) {
    struct step init = session_begins();
    int result = (*next)(info, handler, session);
    session_has_begun(init, result, *session);
    return result;
}

AA_MPI_WRAPPER(Session_finalize, false, (MPI_Session * session), (session)) {
    struct step finalize = session_ends();
    int result = (*next)(session);
    session_has_ended(finalize, result);
    return result;
}

AA_FORTRAN_FUNCTION(session_init, (MPI_Fint * info, MPI_Fint *handler, MPI_Fint *session, MPI_Fint *error),
                    (info, handler, session, error)) {
    struct step init = session_begins();
    next(info, handler, session, error);
    session_has_begun(init, (int)*error, aa_session_f2c(*session));
}

AA_FORTRAN_FUNCTION(session_finalize, (MPI_Fint * session, MPI_Fint *error), (session, error)) {
    struct step finalize = session_ends();
    next(session, error);
    session_has_ended(finalize, (int)*error);
}

#endif

/* ---- MPI_Abort */

AA_MPI_WRAPPER(Abort, false, (MPI_Comm comm, int code), (comm, code)) {
    if (!aa_mpi_is_bound())
        aa_mpi_bind(__builtin_return_address(0));
    aa_process_aborting(code);
    return (*next)(comm, code);
}

AA_FORTRAN_FUNCTION(abort, (MPI_Fint * comm, MPI_Fint *code, MPI_Fint *error), (comm, code, error)) {
    aa_process_aborting((int)*code);
    next(comm, code, error);
}
