/* Repeated string instructions. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_STRINGS_H
#define RTCOUNT_STRINGS_H

#include "pub_tool_basics.h"

/*
 * Valgrind executes a repeated string instruction, such as rep stosb, one element at a time:
 *
 *     IMark A; exit to the next instruction if RCX is 0; one element; back to A (for cmps and scas on a
 * condition)
 *
 * Returns whether the instruction at an address is a repeated string instruction.
 */
Bool rc_is_repeated(Addr address, UInt length);

/* Accesses an element outside the last line. numbered_size: the lowest SIZE_BITS bits contain the size; the
 * bits above, the number of the string. */
VG_REGPARM(2) void rc_access_element(Addr address, UWord numbered_size);

/* Called when the instruction ends: counts it as one instruction. */
void rc_end_string(void);

#endif
