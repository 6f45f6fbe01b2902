/* Records threads of programs without probes, for samples. */
#ifndef AA_SAMPLE_START_H
#define AA_SAMPLE_START_H

#include "shard.h"

/*
 * From now on, records the main thread. Called early if another library's constructor creates a thread before
 * our constructor runs.
 */
void aa_sample_begin_program(void);

/*
 * Records a new thread that begins with the function `start`, if it was created outside all regions. birth:
 * the node where it was created.
 */
void aa_sample_begin_thread(const struct aa_node *birth, const void *start);

#endif
