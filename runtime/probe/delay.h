/* How long others held the processors that the process was ready to use; and all else that the system says of
 * it. */
#ifndef AA_DELAY_H
#define AA_DELAY_H

#include "shard.h"

/* Count from now on: when the library is loaded, and in the child of a fork. */
void aa_delay_start(void);

/* Write into the header what has been counted until now. */
void aa_delay_take(struct aa_header *header);

#endif
