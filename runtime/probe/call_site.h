/*
 * Where a library is called from, in programs without probes: each place is a region of its own. The gather
 * finds function and line (runtime/gather/call_sites.py).
 */
#ifndef AA_CALL_SITE_H
#define AA_CALL_SITE_H

#include "key.h"

/*
 * The region of calls that return there: that of the function with "FILE+ADDRESS" for the function around it,
 * the address in hexadecimal as the file was linked. The function's own region where the place has no file,
 * in Python, whose lines no address tells, and once there are thousands. As a descriptor it lives as long as
 * the process.
 */
const char *aa_call_site(const char *region, const void *returns_to);

/* Another library may come to lie there. */
void aa_call_site_forget(struct aa_span span);

#endif
