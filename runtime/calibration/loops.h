/*
 * Loops of plain code with data in the first-level cache. In three loops, each operation depends on the
 * previous one; in two loops, operations are independent.
 */
#ifndef AA_LOOPS_H
#define AA_LOOPS_H

#include "work.h"

enum { AA_LOOPS = 5 };

void aa_loops(struct aa_work works[AA_LOOPS]);

#endif
