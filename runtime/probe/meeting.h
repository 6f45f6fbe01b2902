/*
 * Whether all processes of a job are recorded: those that are meet in a file of the run's folder when MPI
 * begins. No message of ours may go to a process that does not expect one, so that this is asked without MPI.
 */
#ifndef AA_MEETING_H
#define AA_MEETING_H

#include <stdbool.h>

/* Before MPI_Init, and after it; the answer is the same in all processes that see the folder. */
void aa_meeting_announce(void);
bool aa_meeting_is_complete(int rank, int size);

#endif
