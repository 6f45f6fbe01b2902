/* Records threads of programs without probes, for samples. */
#ifndef AA_SAMPLE_START_H
#define AA_SAMPLE_START_H

#include "shard.h"

/* The main thread is recorded from now on; libraries' constructors, which come first, may create threads. */
void aa_sample_begin_program(void);

/* A new thread begins with this function; birth: where it was created. */
void aa_sample_begin_thread(const struct aa_node *birth, const void *start);

#endif
