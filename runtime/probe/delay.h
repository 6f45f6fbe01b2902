/* The operating system's data about the process: how long it waited for a core, and the data of system.h. */
#ifndef AA_DELAY_H
#define AA_DELAY_H

#include "shard.h"

/*
 * Reads the counts from which later ones are subtracted; called when the library is loaded and in the child
 * of a fork.
 */
void aa_delay_start(void);

/* Writes the counts since the start into the header. */
void aa_delay_take(struct aa_header *header);

#endif
