/*
 * dlsym, which finds our wrappers in place of MPI's functions. Plugins and bindings for other languages load
 * MPI privately and look its functions up by name, so the loader does not bind them to the wrappers. They
 * get the wrapper of PMPI_X, which calls the MPI library itself rather than a tool.
 */
#define _GNU_SOURCE
#include "libc_dlsym.h"
#include "mpi_library.h"
#include "symbol.h"

#include <dlfcn.h>
#include <string.h>

static bool is_of_mpi(const char *name) {
    return strncmp(name + (name[0] == 'P'), "MPI_", strlen("MPI_")) == 0;
}

/* Returns this library's wrapper for a function of the MPI library; NULL if it has none. */
static void *wrapper_of(const char *name) {
    void *library = aa_symbol_own_library();
    if (library == NULL)
        return NULL;
    char profiling[strlen(name) + sizeof "P"];
    profiling[0] = 'P';
    strcpy(profiling + 1, name + (name[0] == 'P'));
    void *wrapper = aa_look_up(library, profiling);
    dlerror();
    return wrapper;
}

static __attribute__((noinline)) void *find_wrapped(void *library, const char *name) {
    void *found = aa_look_up(library, name);
    void *wrapper = found != NULL && aa_mpi_defines(found) ? wrapper_of(name) : NULL;
    return wrapper != NULL ? wrapper : found;
}

/*
 * The C library's dlsym examines its return address, so this function jumps to it from the frame of its own
 * caller.
 */
AA_EXPORT void *dlsym(void *restrict library, const char *restrict name) {
    aa_look_up_function *own = aa_libc_dlsym();
    if (library == RTLD_DEFAULT || library == RTLD_NEXT || !is_of_mpi(name))
        return own(library, name);
    return find_wrapped(library, name);
}
