/*
 * Loops of plain code with data in the first cache. In three of them each operation waits for the one before,
 * in two it does not.
 */
#ifndef AA_LOOPS_H
#define AA_LOOPS_H

#include "work.h"

enum { AA_LOOPS = 5 };

void aa_loops(struct aa_work works[AA_LOOPS]);

#endif
