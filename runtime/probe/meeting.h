/*
 * Whether all processes of a job are recorded: recorded processes meet in a file of the run's folder when MPI
 * begins. We must not send a message to a process that does not expect one, so this is determined without
 * MPI.
 */
#ifndef AA_MEETING_H
#define AA_MEETING_H

#include <stdbool.h>

/* Before MPI_Init, and after it; the answer is the same in all processes that see the folder. */
void aa_meeting_announce(void);
bool aa_meeting_is_complete(int rank, int size);

#endif
