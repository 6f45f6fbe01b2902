/*
 * A barrier of ours before each blocking collective of the program, so that waiting for ranks that come late,
 * AA_MPI_WAIT, is told from the collective itself.
 *
 * Members of a communicator wait for ever unless all of them do it. So the communicators on which it is done
 * carry a mark that all members give them alike, an attribute: MPI_COMM_WORLD, and what is made of a marked
 * one, if there are two or more members. Not MPI_COMM_SELF, nor intercommunicators, nor what is made of
 * sessions or with processes of another MPI_COMM_WORLD, which need not have this library.
 */
#ifndef AA_MPI_SPLIT_H
#define AA_MPI_SPLIT_H

#include "mpi_library.h"

/* Whether AUTOANALYZER_SPLIT_WAITING asks for it, from the return of MPI_Init to the call of MPI_Finalize. */
extern bool aa_mpi_splits;

void aa_mpi_split_begins(void);
void aa_mpi_split_ends(void);

/* A communicator was made of another one, or MPI_COMM_NULL: the process is no member. */
void aa_mpi_split_made(MPI_Comm from, MPI_Comm comm);

static inline bool aa_mpi_is_split(struct aa_mpi_call call) {
    return __builtin_expect(aa_mpi_splits, false) && call.counts;
}

/* In a collective whose time is of this share: waits for all members, if the communicator has the mark. */
void aa_mpi_split(struct aa_mpi_call call, MPI_Comm comm, enum aa_share share);

#endif
