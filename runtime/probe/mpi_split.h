/*
 * A barrier of ours before each blocking collective of the program separates waiting for late ranks,
 * AA_MPI_WAIT, from the collective itself. If only some members of a communicator called it, they would
 * wait for ever. So it is only used on communicators with a mark, an attribute that all members set alike:
 * MPI_COMM_WORLD, and communicators derived from a marked one, if they have at least two members. Excluded
 * are MPI_COMM_SELF, intercommunicators, and communicators made from sessions or with processes of another
 * MPI_COMM_WORLD, which need not have this library.
 */
#ifndef AA_MPI_SPLIT_H
#define AA_MPI_SPLIT_H

#include "mpi_library.h"

/* Whether AUTOANALYZER_SPLIT_WAITING requests it, from the return of MPI_Init to the call of MPI_Finalize. */
extern bool aa_mpi_splits;

void aa_mpi_split_begins(void);
void aa_mpi_split_ends(void);

/* A communicator was derived from another one; MPI_COMM_NULL if the process is not a member. */
void aa_mpi_split_made(MPI_Comm from, MPI_Comm comm);

static inline bool aa_mpi_is_split(struct aa_mpi_call call) {
    return __builtin_expect(aa_mpi_splits, false) && call.counts;
}

/* In a collective with this share: waits for all members if the communicator has the mark. */
void aa_mpi_split(struct aa_mpi_call call, MPI_Comm comm, enum aa_share share);

#endif
