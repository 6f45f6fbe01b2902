#define _GNU_SOURCE
#include "io_libc.h"

#include <dlfcn.h>
#include <errno.h>

struct aa_libc aa_libc_functions;

void aa_libc_bind(void) {
    int error = errno;
#define LOOK_UP(name) aa_libc_functions.name = (__typeof__(aa_libc_functions.name))dlsym(RTLD_NEXT, #name);
    AA_LIBC_FUNCTIONS(LOOK_UP)
    dlerror(); /* otherwise dlerror would report our failures to the program */
    aa_libc_functions.bound = true;
    errno = error;
}

__attribute__((constructor)) static void bind_early(void) {
    aa_libc_bind();
}
