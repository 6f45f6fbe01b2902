/*
 * MPI's functions as dlsym finds them in a library. Bindings of other languages and plugins load MPI
 * privately and look its functions up by name, so that the loader binds nothing to the wrappers. They get the
 * wrapper of PMPI_X, which calls the MPI library: its function is asked for, and not that of a tool.
 */
#define _GNU_SOURCE
#include "mpi_lookup.h"
#include "mpi_library.h"
#include "symbol.h"

#include <dlfcn.h>
#include <string.h>

typedef void *look_up(void *library, const char *name);

/* Since glibc 2.34; before that, or on a later architecture, since its first release (glibc's
 * shlib-versions). */
static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27",
                                       "GLIBC_2.36", "GLIBC_2.4",   "GLIBC_2.2",  "GLIBC_2.0"};

static __attribute__((noinline)) look_up *find_own(void) {
    void *own = NULL;
    for (size_t i = 0; own == NULL && i < sizeof versions / sizeof *versions; i++)
        own = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (own == NULL)
        aa_mpi_stop("the C library's dlsym was not found");
    return (look_up *)own;
}

/* The C library's. */
static inline look_up *own_look_up(void) {
    static look_up *_Atomic known;
    look_up *own = atomic_load_explicit(&known, memory_order_relaxed);
    if (__builtin_expect(own == NULL, false)) {
        own = find_own();
        atomic_store_explicit(&known, own, memory_order_relaxed);
    }
    return own;
}

void *aa_look_up(void *library, const char *name) {
    return own_look_up()(library, name);
}

static bool is_of_mpi(const char *name) {
    return strncmp(name + (name[0] == 'P'), "MPI_", strlen("MPI_")) == 0;
}

/* This library's wrapper for a function of the MPI library; NULL if it has none. */
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

/* The C library's function looks where it was called from: it is jumped to, from the caller's own frame. */
AA_EXPORT void *dlsym(void *restrict library, const char *restrict name) {
    look_up *own = own_look_up();
    if (library == RTLD_DEFAULT || library == RTLD_NEXT || !is_of_mpi(name))
        return own(library, name);
    return find_wrapped(library, name);
}
