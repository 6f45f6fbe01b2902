/* Adds counting code to superblocks. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_INSTRUMENT_H
#define RTCOUNT_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

IRSB *rc_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word);

/* Exclude the code at an address, or the code of a function, from counting. The name must live as long as the
 * process. */
void rc_leave_out(Addr start, SizeT length);
void rc_leave_out_function(const HChar *name);

#endif
