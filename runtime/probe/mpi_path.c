/* The critical path's messages from MPI_Init to MPI_Finalize. */
#define _GNU_SOURCE
#include "mpi_path.h"

#include <stdlib.h>
#include <string.h>

#include "fork.h"
#include "meeting.h"
#include "mpi_path_parts.h"

static bool has_begun;

static bool is_wanted(void) {
    const char *text = getenv("AUTOANALYZER_PATH");
    return text && *text && strcmp(text, "never") != 0;
}

void aa_mpi_path_announce(void) {
    if (is_wanted() && aa_shard())
        aa_meeting_announce();
    else if (is_wanted())
        aa_meeting_refuse();
}

static bool prepare(void) {
    struct aa_path_ours *ours = &aa_path_ours;
    return aa_mpi_peers_with_slots(aa_path_end_slots) &&
           aa_mpi.Comm_dup(aa_mpi.world, &ours->comm) == MPI_SUCCESS &&
           aa_mpi.Type_contiguous((int)sizeof(struct aa_path), aa_mpi.byte, &ours->chain) == MPI_SUCCESS &&
           aa_mpi.Type_commit(&ours->chain) == MPI_SUCCESS &&
           aa_mpi.Op_create(aa_path_choose_longest, 1, &ours->longest) == MPI_SUCCESS &&
           aa_mpi.Op_create(aa_path_add_lengths, 1, &ours->sum) == MPI_SUCCESS;
}

/* Returns whether recording stops if its cost exceeds the share of the run that measuring may take. */
static bool is_limited(void) {
    return strcmp(getenv("AUTOANALYZER_PATH"), "always") != 0;
}

/* Returns whether a path is of no use: there is only one process, and the user has not explicitly requested
 * the path. */
static bool is_alone(int size) {
    return is_limited() && size == 1;
}

/* Ends recording in the child of a fork, because its parent's peers receive no messages from the child. */
static void leave_in_child(void) {
    aa_mpi_path = has_begun = false;
}

static void start(struct aa_header *header, int rank, int size, bool spawned) {
    if (is_alone(size))
        return;
    header->path_state = AA_PATH_ALONE;
    if (spawned || (size > 1 && !aa_meeting_is_complete(rank, size)))
        return;
    aa_path_ours.me = (uint32_t)rank;
    if (!prepare())
        return;
    aa_path_find_price(aa_path_exchange_with_oneself);
    aa_path_begins(is_limited());
    has_begun = true;
    aa_fork_watch(NULL, leave_in_child);
    header->path_state = AA_PATH_KNOWN;
    aa_mpi_path = true;
    aa_path_here(NULL); /* begins the chain, even of a single rank, which has no messages */
    aa_path_everyone(aa_mpi.world);
    aa_path_share(aa_mpi_peers_of(aa_mpi.world), aa_mpi.world);
}

void aa_mpi_path_begins(int rank, int size, bool spawned) {
    if (!is_wanted() || !aa_shard())
        return;
    aa_shard()->rank = rank;
    start(aa_shard(), rank, size, spawned);
}

void aa_mpi_path_of_sessions(int size) {
    if (is_wanted() && aa_shard() && !is_alone(size))
        aa_shard()->path_state = AA_PATH_SESSIONS;
}

/* Frees the tool's MPI objects, because some libraries report objects that are not freed. */
static void clear_away(void) {
    aa_mpi.Op_free(&aa_path_ours.sum);
    aa_mpi.Op_free(&aa_path_ours.longest);
    aa_mpi.Type_free(&aa_path_ours.chain);
    aa_mpi.Comm_free(&aa_path_ours.comm);
}

void aa_mpi_path_ends(void) {
    if (aa_mpi_path) {
        aa_path_update();
        aa_path_everyone_ends(aa_mpi.world);
    }
    if (has_begun) {
        aa_path_end_collectives();
        aa_path_end_answers();
        aa_path_take_rest();
        clear_away();
    }
    aa_mpi_path = false;
    has_begun = false;
}
