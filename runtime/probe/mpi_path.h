/*
 * The critical path's messages. With each message of the program, the sender sends its chain (path.h) on a
 * communicator of the tool. After each collective of the program, the processes exchange their chains with a
 * collective of the same kind on the program's communicator, unless they share memory.
 *
 * A chain is sent before the program's message, so a process that has received the message need not wait for
 * the chain. The order in which the program receives its messages stays the same, and no process waits for a
 * chain that was not sent.
 */
#ifndef AA_MPI_PATH_H
#define AA_MPI_PATH_H

#include "mpi_peers.h"
#include "path.h"

/* Whether AUTOANALYZER_PATH requests the path and all processes are recorded; true only from MPI_Init to
 * MPI_Finalize. */
extern bool aa_mpi_path;

void aa_mpi_path_announce(void); /* before MPI_Init */
void aa_mpi_path_begins(int rank, int size, bool spawned);
void aa_mpi_path_ends(void);

/* Records that the program starts MPI only with sessions, so that there is no path. */
void aa_mpi_path_of_sessions(int size);

static inline bool aa_mpi_has_path(struct aa_mpi_call call) {
    return __builtin_expect(aa_mpi_path, false) && call.counts;
}

/* Returns the peers of a communicator; null if chains are no longer sent. */
static inline const struct aa_mpi_peers *aa_path_peers(MPI_Comm comm) {
    return __builtin_expect(aa_mpi_path, false) && !aa_path_has_ended ? aa_mpi_peers_of(comm) : NULL;
}

/* Returns the peers of a communicator for a request, which releases them once it is complete; null if chains
 * are no longer sent. */
static inline const struct aa_mpi_peers *aa_path_kept_peers(MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_path_peers(comm);
    if (peers)
        aa_mpi_peers_keep(peers);
    return peers;
}

/* Records that the program uses something that the path does not follow. */
static inline void aa_path_leaves_out(enum aa_path_left_out what) {
    if (__builtin_expect(aa_mpi_path, false))
        aa_shard()->path_left_out |= what;
}

/* Called before the program sends a message, and after it has received one. */
void aa_path_send_among(const struct aa_mpi_peers *peers, int dest, int tag);
void aa_path_received_among(const struct aa_mpi_peers *peers, int source, int tag);

static inline void aa_path_send(int dest, int tag, MPI_Comm comm) {
    aa_path_send_among(aa_path_peers(comm), dest, tag);
}

static inline void aa_path_received(const MPI_Status *status, MPI_Comm comm) {
    aa_path_received_among(aa_path_peers(comm), status->MPI_SOURCE, status->MPI_TAG);
}

/*
 * Called before a synchronous send, which waits for its receive. Returns a question, which must be passed to
 * aa_path_answered once the send is complete; null if there is none. aa_path_ask keeps the question, and
 * aa_path_question returns the latest question that the thread has kept.
 */
void *aa_path_ask_among(const struct aa_mpi_peers *peers, int dest, int tag);
void aa_path_ask(int dest, int tag, MPI_Comm comm);
void *aa_path_question(void);
void aa_path_answered(void *question);

/* For non-blocking receives, after any sender has asked for an answer (aa_path_is_asked). aa_path_begun
 * returns the thread's chain at the beginning of the receive, in memory from malloc. aa_path_begun_in writes
 * the chain to memory from aa_path_room, which is empty at first. aa_path_received_later gets this chain when
 * the receive is complete. */
extern _Atomic bool aa_path_is_asked;
void *aa_path_begun(void);
void *aa_path_room(void);
void aa_path_begun_in(void *room);
void aa_path_received_later(const struct aa_mpi_peers *peers, int source, int tag, const void *begun);

/*
 * Which ranks wait in a collective: all for all; all for the root; the root for all; each rank for all lower
 * ranks.
 */
enum aa_path_collective_kind { AA_PATH_EVERYONE, AA_PATH_FROM_ROOT, AA_PATH_TO_ROOT, AA_PATH_FROM_LOWER };

/*
 * Called before and after a blocking collective of the program, with its kind, its root if the kind has one,
 * and its communicator.
 */
void aa_path_enters(enum aa_path_collective_kind kind, int root, MPI_Comm comm);
void aa_path_leaves(enum aa_path_collective_kind kind, int root, MPI_Comm comm);
void aa_path_from_neighbours(MPI_Comm comm);

/* Exchange chains when all processes of the program wait for each other, or for processes of lower rank. */
void aa_path_everyone(MPI_Comm comm);
void aa_path_everyone_ends(MPI_Comm comm); /* at the end of the run */
void aa_path_from_lower(MPI_Comm comm);

/*
 * Called before a non-blocking collective of the program: begin the exchange of chains. Return a pointer that
 * must be passed to aa_path_complete once the program's collective is complete; null if nothing was begun.
 */
void *aa_path_begin_everyone(MPI_Comm comm);
void *aa_path_begin_from_root(int root, MPI_Comm comm);
void *aa_path_begin_to_root(int root, MPI_Comm comm);
void *aa_path_begin_from_lower(MPI_Comm comm);
void *aa_path_begin_from_neighbours(MPI_Comm comm);
void aa_path_complete(void *begun);

/*
 * For persistent collectives. Called when the program has created one (aa_path_prepare_…), before it starts
 * the collective, when the collective is complete, and when the program frees it.
 */
void *aa_path_prepare_everyone(MPI_Comm comm);
void *aa_path_prepare_from_root(int root, MPI_Comm comm);
void *aa_path_prepare_to_root(int root, MPI_Comm comm);
void *aa_path_prepare_from_lower(MPI_Comm comm);
void *aa_path_prepare_from_neighbours(MPI_Comm comm);
void aa_path_repeat(void *repeated);
void aa_path_repeated(void *repeated);
void aa_path_repeat_ends(void *repeated);

/*
 * Creates a communicator of the tool with the members of a communicator of the program; all members call
 * this. Returns MPI_COMM_NULL if a member has no space for it. The program's attributes are not copied.
 */
MPI_Comm aa_path_companion(MPI_Comm comm, bool has_room);
void aa_path_companion_ends(MPI_Comm companion);

/* Called after a window is created and before it is freed; before and after a fence. */
void aa_path_window_made(MPI_Comm comm, MPI_Win window);
void aa_path_window_ends(MPI_Win window);
void aa_path_fence_begins(int assertion, MPI_Win window);
void aa_path_fence(int assertion, MPI_Win window);

/* Called on a target: before MPI_Win_post, after MPI_Win_wait. On an origin: after MPI_Win_start, before and
 * after MPI_Win_complete. */
void aa_path_post(MPI_Group origins, MPI_Win window);
void aa_path_waited(MPI_Win window);
void aa_path_started(MPI_Group targets, MPI_Win window);
void aa_path_completes(MPI_Win window);
void aa_path_completed(MPI_Win window);

/* Completes the tool's operations on a communicator, before the program frees it. */
void aa_path_leave(MPI_Comm comm);

/*
 * For messages that the program first matches (MPI_Mprobe) and then receives: record the communicator of a
 * matched message; look it up when the message is received; and return the communicator's peers, which the
 * caller releases, or receive the chain.
 */
#define AA_MESSAGE(handle) ((uint64_t)(uintptr_t)(handle))
void aa_path_matched(uint64_t message, MPI_Comm comm);
void aa_path_take_matched(uint64_t message);
const struct aa_mpi_peers *aa_path_matched_peers(void);
void aa_path_received_matched(int source, int tag);

#endif
