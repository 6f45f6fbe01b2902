/*
 * Finds out whether all processes of a job are recorded: when MPI is initialised, recorded processes meet in
 * a file in the run's folder. MPI is not used for this, because no message may be sent to a process that does
 * not expect it.
 */
#ifndef AA_MEETING_H
#define AA_MEETING_H

#include <stdbool.h>

/*
 * aa_meeting_announce is called before MPI_Init, aa_meeting_is_complete after it. The latter returns whether
 * all processes are recorded; the answer is the same in all processes that see the folder.
 */
void aa_meeting_announce(void);
/*
 * Called before MPI_Init, in place of the two other functions, if the process is not recorded, so that no
 * process waits for it.
 */
void aa_meeting_refuse(void);
bool aa_meeting_is_complete(int rank, int size);

#endif
