/*
 * Call sites of library functions in programs without probes: each is a region of its own. The gather
 * finds function and line (runtime/gather/call_sites.py).
 */
#ifndef AA_CALL_SITE_H
#define AA_CALL_SITE_H

#include "key.h"

/*
 * Returns the region of calls that return to an address: the function's region with "FILE+ADDRESS" as the
 * function around it, the address in hexadecimal as the file was linked. Returns the function's own region if
 * the address is in no file or in Python, whose lines have no addresses, and once there are thousands. Like a
 * descriptor, it lives as long as the process.
 */
const char *aa_call_site(const char *region, const void *returns_to);

/* Forgets the call sites in memory that another library may use later. */
void aa_call_site_forget(struct aa_span span);

#endif
