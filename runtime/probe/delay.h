/*
 * How long the process was ready to run while others used the processors, and further data of the system
 * about it.
 */
#ifndef AA_DELAY_H
#define AA_DELAY_H

#include "shard.h"

/* Starts counting: when the library is loaded, and in the child of a fork. */
void aa_delay_start(void);

/* Writes the counts until now into the header. */
void aa_delay_take(struct aa_header *header);

#endif
