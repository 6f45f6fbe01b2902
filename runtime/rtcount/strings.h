/* Repeated string instructions. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_STRINGS_H
#define RTCOUNT_STRINGS_H

#include "pub_tool_basics.h"

/*
 * Valgrind executes a repeated string instruction, such as rep stosb, one element at a time:
 *
 *     IMark A; leave for the next instruction if RCX is 0; one element; back to A, for cmps and scas on a
 *     condition
 *
 * Returns whether the instruction at an address is one.
 */
Bool rc_is_repeated(Addr address, UInt length);

/* An element that does not lie in the line accessed last: its size, and above SIZE_BITS which string it is
 * of. */
VG_REGPARM(2) void rc_access_element(Addr address, UWord numbered_size);

/* The instruction ends: it counts as one. */
void rc_end_string(void);

#endif
