/*
 * Call sites of library functions in programs without probes: each call site is a separate region. Gathering
 * finds its function and line (runtime/gather/call_sites.py).
 */
#ifndef AA_CALL_SITE_H
#define AA_CALL_SITE_H

#include "key.h"

/*
 * Returns the region of a call site: a descriptor that lives as long as the process. region: the descriptor
 * of the called function. returns_to: the return address of the call.
 *
 * The descriptor has "FILE+ADDRESS" as the enclosing function, with the hexadecimal address in the linked
 * file. The called function's own descriptor is returned in three cases: the address is in no file; it is in
 * the Python interpreter, where addresses do not show lines of the program; there are already thousands of
 * call sites.
 */
const char *aa_call_site(const char *region, const void *returns_to);

/*
 * Forgets the call sites in this memory, because its library was unloaded, and another library may use the
 * addresses later.
 */
void aa_call_site_forget(struct aa_span span);

#endif
