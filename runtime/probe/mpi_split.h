/*
 * A barrier of ours before each blocking collective of the program separates waiting for late ranks,
 * AA_MPI_WAIT, from the collective itself. Members of a communicator would wait for ever unless all of them
 * do it. So the communicators on which it is done have a mark that all members give them alike, an attribute:
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

/* A communicator was made of another one, or MPI_COMM_NULL: the process is no member. */
void aa_mpi_split_made(MPI_Comm from, MPI_Comm comm);

static inline bool aa_mpi_is_split(struct aa_mpi_call call) {
    return __builtin_expect(aa_mpi_splits, false) && call.counts;
}

/* In a collective with this share: wait for all members, if the communicator has the mark. */
void aa_mpi_split(struct aa_mpi_call call, MPI_Comm comm, enum aa_share share);

#endif
