/*
 * The critical path's messages: beside each message of the program's one of ours, on a communicator of our
 * own; after each collective one of ours on the program's communicator, of the same form, unless its
 * processes share memory. What a chain is, is in path.h.
 *
 * Ours is sent before the program's, so that whoever has received the program's need not wait for it: it
 * never decides which of the program's messages is received next, and none of ours is awaited that was not
 * sent.
 */
#ifndef AA_MPI_PATH_H
#define AA_MPI_PATH_H

#include "mpi_peers.h"
#include "path.h"

/* Whether AUTOANALYZER_PATH requests it and all processes are recorded, from MPI_Init to MPI_Finalize. */
extern bool aa_mpi_path;

void aa_mpi_path_announce(void); /* before MPI_Init */
void aa_mpi_path_begins(int rank, int size, bool spawned);
void aa_mpi_path_ends(void);

/* Without MPI_Init there is no path. */
void aa_mpi_path_of_sessions(int size);

static inline bool aa_mpi_has_path(struct aa_mpi_call call) {
    return __builtin_expect(aa_mpi_path, false) && call.counts;
}

/* Of a communicator, as long as there are messages of ours between two. */
static inline const struct aa_mpi_peers *aa_path_peers(MPI_Comm comm) {
    return __builtin_expect(aa_mpi_path, false) && !aa_path_has_ended ? aa_mpi_peers_of(comm) : NULL;
}

/* The program uses something that the path does not follow. */
static inline void aa_path_leaves_out(enum aa_path_left_out what) {
    if (__builtin_expect(aa_mpi_path, false))
        aa_shard()->path_left_out |= what;
}

/* A message is about to be sent; one has been received. */
void aa_path_send_among(const struct aa_mpi_peers *peers, int dest, int tag);
void aa_path_received_among(const struct aa_mpi_peers *peers, int source, int tag);

static inline void aa_path_send(int dest, int tag, MPI_Comm comm) {
    aa_path_send_among(aa_path_peers(comm), dest, tag);
}

static inline void aa_path_received(const MPI_Status *status, MPI_Comm comm) {
    aa_path_received_among(aa_path_peers(comm), status->MPI_SOURCE, status->MPI_TAG);
}

/* Such a send waits for its receive: what is to be handed over once it is complete; null: nothing. By the
 * wrapper of a call, the latest of the thread. */
void *aa_path_ask_among(const struct aa_mpi_peers *peers, int dest, int tag);
void aa_path_ask(int dest, int tag, MPI_Comm comm);
void *aa_path_question(void);
void aa_path_answered(void *question);

/* A receive that does not block begins: where the thread is, in memory of malloc, if anybody has asked for
 * that; the same in room for it, which is empty at first. It has received. */
extern bool aa_path_is_asked;
void *aa_path_begun(void);
void *aa_path_room(void);
void aa_path_begun_in(void *room);
void aa_path_received_later(const struct aa_mpi_peers *peers, int source, int tag, const void *begun);

/* Whose work a collective needs: all that of all; that of the root; the root that of all; each that of those
 * of lower rank. */
enum aa_path_collective_kind { AA_PATH_EVERYONE, AA_PATH_FROM_ROOT, AA_PATH_TO_ROOT, AA_PATH_FROM_LOWER };

/*
 * Called before and after a blocking collective of the program: its kind, its root if the kind has one, and
 * its communicator.
 */
void aa_path_enters(enum aa_path_collective_kind kind, int root, MPI_Comm comm);
void aa_path_leaves(enum aa_path_collective_kind kind, int root, MPI_Comm comm);
void aa_path_from_neighbours(MPI_Comm comm);

/* All members meet, or wait for those of lower rank, where the program's processes do so besides. */
void aa_path_everyone(MPI_Comm comm);
void aa_path_from_lower(MPI_Comm comm);

/* The same of a collective that is about to begin: what is to be handed over once it is complete; null:
 * nothing. */
void *aa_path_begin_everyone(MPI_Comm comm);
void *aa_path_begin_from_root(int root, MPI_Comm comm);
void *aa_path_begin_to_root(int root, MPI_Comm comm);
void *aa_path_begin_from_lower(MPI_Comm comm);
void *aa_path_begin_from_neighbours(MPI_Comm comm);
void aa_path_complete(void *begun);

/* The same of a persistent one, which has been made; it is about to be started, is complete, and is freed. */
void *aa_path_prepare_everyone(MPI_Comm comm);
void *aa_path_prepare_from_root(int root, MPI_Comm comm);
void *aa_path_prepare_to_root(int root, MPI_Comm comm);
void *aa_path_prepare_from_lower(MPI_Comm comm);
void *aa_path_prepare_from_neighbours(MPI_Comm comm);
void aa_path_repeat(void *repeated);
void aa_path_repeated(void *repeated);
void aa_path_repeat_ends(void *repeated);

/* A communicator of ours with the members of one of the program's, all of whom ask for it; MPI_COMM_NULL:
 * there is none, as some have no room for it. The program's attributes are not copied. */
MPI_Comm aa_path_companion(MPI_Comm comm, bool has_room);
void aa_path_companion_ends(MPI_Comm companion);

/* A window is made, and is about to be freed; all are about to meet in a fence, and have met. */
void aa_path_window_made(MPI_Comm comm, MPI_Win window);
void aa_path_window_ends(MPI_Win window);
void aa_path_fence_begins(int assertion, MPI_Win window);
void aa_path_fence(int assertion, MPI_Win window);

/* A target is about to post, and has waited; an origin has started, is about to complete, and has completed.
 */
void aa_path_post(MPI_Group origins, MPI_Win window);
void aa_path_waited(MPI_Win window);
void aa_path_started(MPI_Group targets, MPI_Win window);
void aa_path_completes(MPI_Win window);
void aa_path_completed(MPI_Win window);

/* A communicator is about to be freed: first complete our operations on it. */
void aa_path_leave(MPI_Comm comm);

/* A message that was matched, by its handle, is of this communicator; so is the one that is received now. */
#define AA_MESSAGE(handle) ((uint64_t)(uintptr_t)(handle))
void aa_path_matched(uint64_t message, MPI_Comm comm);
void aa_path_take_matched(uint64_t message);
const struct aa_mpi_peers *aa_path_matched_peers(void);

#endif
