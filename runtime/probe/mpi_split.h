/*
 * Our own barrier before each blocking collective of the program separates waiting for late ranks,
 * AA_MPI_WAIT, from the collective itself. If only some members of a communicator called the barrier, they
 * would wait forever. The barrier is therefore only used on communicators with a mark, an attribute that all
 * members set alike. MPI_COMM_WORLD is marked, and communicators derived from a marked one are marked if they
 * have at least two members. MPI_COMM_SELF, intercommunicators, and communicators that were created from
 * sessions or with processes of another MPI_COMM_WORLD are never marked, because not all of these processes
 * need to have this library.
 */
#ifndef AA_MPI_SPLIT_H
#define AA_MPI_SPLIT_H

#include "mpi_library.h"

/*
 * whether AUTOANALYZER_SPLIT_WAITING requests the barrier; true only from the return of MPI_Init to the call
 * of MPI_Finalize
 */
extern bool aa_mpi_splits;

/* aa_mpi_split_begins is called when MPI_Init has returned, aa_mpi_split_ends before MPI_Finalize. */
void aa_mpi_split_begins(void);
void aa_mpi_split_ends(void);

/*
 * Marks a communicator that was derived from a marked one; does nothing if it is MPI_COMM_NULL, because the
 * process is not a member.
 */
void aa_mpi_split_made(MPI_Comm from, MPI_Comm comm);

/* Returns whether a collective counts and may need our barrier. */
static inline bool aa_mpi_is_split(struct aa_mpi_call call) {
    return __builtin_expect(aa_mpi_splits, false) && call.counts;
}

/*
 * Waits for all members if the communicator has the mark. Called in a collective; afterwards, time counts
 * towards the collective's share again.
 */
void aa_mpi_split(struct aa_mpi_call call, MPI_Comm comm, enum aa_share share);

#endif
