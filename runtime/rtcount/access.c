/* Cache look-ups for any processor. SPDX-License-Identifier: GPL-2.0-or-later */
#include "access.h"

Access *rc_access;

void rc_choose_access(Bool avx2) {
    rc_access = avx2 ? rc_access_avx2() : NULL;
    if (!rc_access)
        rc_access = chosen();
}
