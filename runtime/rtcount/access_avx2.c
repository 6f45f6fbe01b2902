/* Cache look-ups for processors with AVX2. SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#if defined(VGA_amd64)

#pragma GCC target("avx2")
#include "access.h"

Access *rc_access_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? chosen() : NULL;
}

#else

Access *rc_access_avx2(void) {
    return NULL;
}

#endif
