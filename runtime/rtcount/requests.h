/* Requests that probes make. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_REQUESTS_H
#define RTCOUNT_REQUESTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Handles a request to book, stop or resume; returns false if `words` is no such request. */
Bool rc_answer(const UWord *words);

/*
 * For a request, a program leaves translated code, and Valgrind's scheduler answers. On x86-64, the requests
 * that every probe makes are instead answered in translated code. In a superblock that ends with a request:
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
