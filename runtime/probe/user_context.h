/* Contexts that the program switches between, each with a stack of its own. */
#ifndef AA_USER_CONTEXT_H
#define AA_USER_CONTEXT_H

#include "shard.h"

/*
 * A region is left that is not open: if it was open on the thread's own stack, the thread has jumped there,
 * and what was open there is open again. The time until now is counted.
 */
bool aa_user_context_jumped(struct aa_thread *thread, const char *key);

#endif
