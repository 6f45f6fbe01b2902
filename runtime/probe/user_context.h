/* Contexts between which the program switches, each with its own stack. */
#ifndef AA_USER_CONTEXT_H
#define AA_USER_CONTEXT_H

#include "shard.h"

/*
 * A region that is not open is left: if it was open on the thread's own stack, the thread has jumped
 * there, and the regions saved there are open again. The time until now is booked.
 */
bool aa_user_context_jumped(struct aa_thread *thread, const char *key);

#endif
