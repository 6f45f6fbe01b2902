/*
 * The stacks of the calling thread. A sample takes 4 KiB of the interrupted stack, or more with larger
 * registers. So a thread takes no samples if one of its stacks is small, or if the program's own code has
 * switched to a stack of unknown size.
 */
#ifndef AA_SAMPLE_STACK_H
#define AA_SAMPLE_STACK_H

#include <stdbool.h>
#include <stddef.h>

/* Called when the calling thread has just begun. bytes: the size of its stack. */
void aa_sample_stack_begin(size_t bytes);

/* Called when the calling thread will also use another stack of this size, for signal handlers or
 * contexts. */
void aa_sample_stack_add(size_t bytes);

/* Returns whether one of the thread's stacks is small. */
bool aa_sample_stack_is_small(void);

/* Returns whether the size of the stack on which the caller runs is known; safe in signal handlers. */
bool aa_sample_stack_is_known(void);

#endif
