/* Adds statements to a superblock. SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RTCOUNT_IR_H
#define RTCOUNT_IR_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Adds a statement that computes a value, and returns the value. */
static inline IRExpr *let(IRSB *out, IRType type, IRExpr *value) {
    IRTemp temporary = newIRTemp(out->tyenv, type);
    addStmtToIRSB(out, IRStmt_WrTmp(temporary, value));
    return IRExpr_RdTmp(temporary);
}

#endif
