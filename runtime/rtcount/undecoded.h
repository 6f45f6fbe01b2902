/* Instructions that Valgrind cannot execute. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_UNDECODED_H
#define RTCOUNT_UNDECODED_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* If a superblock ends with an AVX-512 instruction, adds code that prints a message with a remedy when the
 * instruction is reached. */
void rc_check_decoded(IRSB *out);

#endif
