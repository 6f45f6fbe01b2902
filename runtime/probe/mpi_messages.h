/* The process's row of the communication matrix (messages.h): the ranks to which messages go. */
#ifndef AA_MPI_MESSAGES_H
#define AA_MPI_MESSAGES_H

#include "messages.h"
#include "mpi_library.h"

/* Begin and end counting, after MPI_Init and before MPI_Finalize. size: the number of processes in
 * MPI_COMM_WORLD. spawned: whether an MPI process has spawned this process, so that its MPI_COMM_WORLD is not
 * the launcher's. */
void aa_mpi_messages_begin(int size, bool spawned);
void aa_mpi_messages_end(void);

/* Return the rank in MPI_COMM_WORLD of a message's receiver; negative if it has none or is unknown. The first
 * function is for communicators other than MPI_COMM_WORLD. */
int aa_receiver_elsewhere(int dest, MPI_Comm comm);

static inline int aa_receiver(int dest, MPI_Comm comm) {
    return comm == aa_mpi.world ? dest : aa_receiver_elsewhere(dest, comm);
}

/* Counts a message to `dest`, unless that is MPI_PROC_NULL; returns its bytes. */
static inline uint64_t aa_message(uint64_t bytes, int dest, MPI_Comm comm) {
    if (dest != MPI_PROC_NULL)
        aa_messages_sent(aa_receiver(dest, comm), bytes);
    return bytes;
}

#endif
