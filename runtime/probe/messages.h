/*
 * The process's row of the communication matrix: the point-to-point messages and bytes that it sends to each
 * rank of MPI_COMM_WORLD, and the time that it waits for messages from each rank. The row is in the shard.
 */
#ifndef AA_MESSAGES_H
#define AA_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Called after MPI_Init. size: the number of processes in MPI_COMM_WORLD; 0 if the process's messages do not
 * belong to the matrix. shared: whether several threads may call MPI at the same time. */
void aa_messages_begin(int size, bool shared);

/* Counts a message to a rank. A message to a negative rank counts as left out. */
void aa_messages_sent(int rank, uint64_t bytes);

/* Adds the time that the process waited for a message from a rank. Only one thread at a time may call
 * this. */
void aa_messages_waited(int rank, double time);

/* Forgets the row in the child of a fork, because it belongs to the parent. */
void aa_messages_forget(void);

#endif
