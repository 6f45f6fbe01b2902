/*
 * Finds out whether all processes of a job are recorded: recorded processes meet in a file of the run's
 * folder when MPI is initialised. No message may be sent to a process that does not expect it, so MPI is
 * not used for this.
 */
#ifndef AA_MEETING_H
#define AA_MEETING_H

#include <stdbool.h>

/*
 * The first is called before MPI_Init. aa_meeting_is_complete is called after it, and returns whether all
 * processes are recorded: the answer is the same in all processes that see the folder.
 */
void aa_meeting_announce(void);
/* Called before MPI_Init instead: this process is not recorded, so the others need not wait for it. */
void aa_meeting_refuse(void);
bool aa_meeting_is_complete(int rank, int size);

#endif
