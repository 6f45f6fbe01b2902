#define _GNU_SOURCE
#include "libc_dlsym.h"
#include "symbol.h"
#include "warning.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * the symbol versions that dlsym may have: GLIBC_2.34 since that release; in earlier releases, the version of
 * glibc's first release on each architecture (glibc's shlib-versions)
 */
static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27",
                                       "GLIBC_2.36", "GLIBC_2.4",   "GLIBC_2.2",  "GLIBC_2.0"};

static void *find_in(void *scope) {
    void *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof versions / sizeof *versions; i++)
        found = dlvsym(scope, "dlsym", versions[i]);
    return found;
}

/*
 * Returns the C library's dlsym. If the C library itself is run as a program to print its version, it does
 * not follow this library in the search order.
 */
static __attribute__((noinline)) aa_look_up_function *find(void) {
    void *found = find_in(RTLD_NEXT);
    if (found == NULL)
        found = find_in(RTLD_DEFAULT);
    if (found == NULL || aa_symbol_is_own(found)) {
        aa_warn("%s: the C library's dlsym was not found", program_invocation_short_name);
        _exit(EXIT_FAILURE);
    }
    return (aa_look_up_function *)found;
}

aa_look_up_function *aa_libc_dlsym(void) {
    static aa_look_up_function *_Atomic known;
    aa_look_up_function *function = atomic_load_explicit(&known, memory_order_relaxed);
    if (__builtin_expect(function == NULL, 0)) {
        function = find();
        atomic_store_explicit(&known, function, memory_order_relaxed);
    }
    return function;
}

void *aa_look_up(void *library, const char *name) {
    return aa_libc_dlsym()(library, name);
}
