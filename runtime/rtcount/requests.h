/* Requests that probes make. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_REQUESTS_H
#define RTCOUNT_REQUESTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Handles a request to book, stop or resume; returns false if `words` is not such a request. */
Bool rc_answer(const UWord *words);

/*
 * Usually, the program leaves translated code for a request, and Valgrind's scheduler answers it. On x86-64,
 * the requests that every probe makes are answered in translated code instead. The end of a superblock with a
 * request, before and after:
 *
 *                                       t1 = GET:I64(16)
 *                                       t2 = answer_here(t1)
 *                                       t3 = CmpNE64(t2, 0)
 *                                       t4 = GET:I64(32)
 *                                       t5 = ITE(t3, t2, t4)
 *                                       PUT(32) = t5
 *                                       if (t3) goto {Boring} 0x1139
 *     goto {ClReq} 0x1139               goto {ClReq} 0x1139
 */
void rc_answer_here(IRSB *out);

#endif
