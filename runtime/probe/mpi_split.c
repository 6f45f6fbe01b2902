#include "mpi_split.h"

#include <stdlib.h>
#include <string.h>

bool aa_mpi_splits;

static int mark = MPI_KEYVAL_INVALID;

/*
 * Called by MPI_Comm_dup; copies the mark. MPI's own callbacks are not used, because in some libraries they
 * are symbols, and this library is not linked to MPI.
 */
static int copy_mark(MPI_Comm comm, int key, void *state, void *value, void *copy, int *copied) {
    (void)comm, (void)key, (void)state;
    memcpy(copy, &value, sizeof value);
    *copied = 1;
    return MPI_SUCCESS;
}

static int drop_mark(MPI_Comm comm, int key, void *value, void *state) {
    (void)comm, (void)key, (void)value, (void)state;
    return MPI_SUCCESS;
}

static bool is_marked(MPI_Comm comm) {
    void *value = NULL;
    int found = 0;
    return comm != aa_mpi.no_comm && aa_mpi.Comm_get_attr(comm, mark, &value, &found) == MPI_SUCCESS && found;
}

static void give_mark(MPI_Comm comm) {
    int inter = 0, size = 0;
    aa_mpi.Comm_test_inter(comm, &inter);
    aa_mpi.Comm_size(comm, &size);
    if (!inter && size > 1)
        aa_mpi.Comm_set_attr(comm, mark, NULL);
}

static bool is_wanted(void) {
    const char *text = getenv("AUTOANALYZER_SPLIT_WAITING");
    return text && *text && strcmp(text, "0") != 0;
}

void aa_mpi_split_begins(void) {
    if (!is_wanted() || aa_mpi.Comm_create_keyval(copy_mark, drop_mark, &mark, NULL) != MPI_SUCCESS)
        return;
    give_mark(aa_mpi.world);
    aa_mpi_splits = true;
}

void aa_mpi_split_ends(void) {
    if (!aa_mpi_splits)
        return;
    aa_mpi_splits = false;
    aa_mpi.Comm_free_keyval(&mark);
}

void aa_mpi_split_made(MPI_Comm from, MPI_Comm comm) {
    if (aa_mpi_splits && comm != aa_mpi.no_comm && is_marked(from))
        give_mark(comm);
}

void aa_mpi_split(struct aa_mpi_call call, MPI_Comm comm, enum aa_share share) {
    if (!is_marked(comm))
        return;
    if (call.timed)
        aa_share_turn_to(AA_MPI_WAIT | AA_IN_MPI);
    aa_mpi.Barrier(comm); /* if the barrier fails, the collective will also fail and report the failure */
    if (call.timed)
        aa_share_turn_to(share | AA_IN_MPI);
    aa_process_waited();
}
