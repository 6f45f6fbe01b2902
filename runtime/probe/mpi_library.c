#define _GNU_SOURCE
#include "mpi_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libc_dlsym.h"
#include "symbol.h"

/* The build defines AA_MPI_FILE, AA_MPI_SONAME, and AA_PROBE_FILE, this library's name in LD_PRELOAD. */

struct aa_mpi aa_mpi;
struct aa_mpi_next aa_mpi_next;

_Thread_local const void *aa_mpi_outermost;
_Thread_local const char *aa_mpi_region;

void aa_mpi_leave(void) {
    const char *region = aa_mpi_region;
    aa_share_leave();
    aa_mpi_outermost = NULL;
    aa_mpi_region = NULL;
    if (region != NULL)
        aa_probe_exit(region);
}

struct aa_mpi_call aa_mpi_begin_in(const void *frame, uint32_t share, struct aa_mpi_region region) {
    if (!aa_mpi_is_bound())
        aa_mpi_bind(region.returns_to);
    aa_mpi_end_left_above(frame);
    bool outermost = aa_mpi_outermost == NULL;
    bool counts = outermost && atomic_load_explicit(&aa_mpi.live, memory_order_relaxed);
    if (outermost)
        aa_mpi_outermost = frame;
    if (counts && region.descriptor != NULL && __builtin_expect(aa_is_outside_regions(), false))
        aa_mpi_region = aa_probe_enter(aa_call_site(region.descriptor, region.returns_to));
    return (struct aa_mpi_call){.outermost = outermost, .counts = counts, .timed = aa_share_begin(share)};
}

void aa_mpi_end(struct aa_mpi_call call) {
    aa_share_end(call.timed);
    if (!call.outermost)
        return;
    aa_mpi_outermost = NULL;
    if (__builtin_expect(aa_mpi_region != NULL, false))
        aa_mpi_leave();
}

/*
 * Handles are addresses in Open MPI and numbers in other libraries. Calls from a program that was built for
 * the other kind of library cannot be passed on.
 */
#ifdef OPEN_MPI
static const bool handles_are_addresses = true;
#else
static const bool handles_are_addresses = false;
#endif

static bool is_other_family(void *library) {
    return (aa_look_up(library, "ompi_mpi_comm_world") != NULL) != handles_are_addresses;
}

/* Returns a handle for dlsym, for all libraries that the program has loaded, except this one. */
static void *everywhere(void) {
    bool comes_first = aa_symbol_is_own(aa_look_up(RTLD_DEFAULT, "PMPI_Init"));
    return comes_first ? RTLD_NEXT : RTLD_DEFAULT;
}

/*
 * Returns the MPI library, found by its file, even if it was loaded under another name, or by its soname. If
 * it is not found, returns a handle for all libraries, so that MPI's functions are searched for in all of
 * them.
 */
static void *find_library(void) {
    void *library = dlopen(AA_MPI_FILE, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        library = dlopen(AA_MPI_SONAME, RTLD_LAZY | RTLD_NOLOAD);
    return library != NULL ? library : everywhere();
}

#ifdef OPEN_MPI
/*
 * Returns data of the library. The data may have been copied into the executable (copy relocation), so the
 * executable is searched first.
 */
static void *data_of(void *library, const char *name) {
    void *data = aa_look_up(RTLD_DEFAULT, name);
    return data != NULL ? data : aa_look_up(library, name);
}
#endif

static bool has_mpi(void *library) {
    bool has = aa_look_up(library, "PMPI_Init") != NULL;
    dlerror(); /* otherwise dlerror would report our failure to the program */
    return has;
}

/* Returns the library that contains an address, with its dependencies; NULL if no library contains it. */
static void *loaded_by(const void *caller) {
    Dl_info found;
    return dladdr(caller, &found) != 0 ? dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/*
 * Returns the next function with this name after this library, or the function that the caller has loaded
 * privately; otherwise `last`.
 */
static void *next_of(const char *name, void *private, void *last) {
    void *next = aa_look_up(RTLD_NEXT, name);
    if (next == NULL && private != NULL)
        next = aa_look_up(private, name);
    return next != NULL && !aa_symbol_is_own(next) ? next : last;
}

static void find_next(const void *caller) {
    void *private = loaded_by(caller);
#define LOOK_UP_NEXT(name)                                                                                   \
    aa_mpi_next.name = (__typeof__(aa_mpi.name))next_of("MPI_" #name, private, (void *)aa_mpi.name);
    AA_MPI_FUNCTIONS(LOOK_UP_NEXT)
    dlerror();
}

static bool bind_to(void *library, const void *caller) {
    if (!has_mpi(library) || is_other_family(library))
        return false;
#define LOOK_UP(name) aa_mpi.name = (__typeof__(aa_mpi.name))aa_look_up(library, "PMPI_" #name);
    AA_MPI_FUNCTIONS(LOOK_UP)
    AA_MPI_HANDLES(LOOK_UP)
    AA_MPI_SESSION_HANDLES(LOOK_UP)
#ifdef OPEN_MPI
    aa_mpi.world = (MPI_Comm)data_of(library, "ompi_mpi_comm_world");
    aa_mpi.no_comm = (MPI_Comm)data_of(library, "ompi_mpi_comm_null");
    aa_mpi.byte = (MPI_Datatype)data_of(library, "ompi_mpi_byte");
    aa_mpi.no_op = (MPI_Op)data_of(library, "ompi_mpi_op_no_op");
    aa_mpi.no_info = (MPI_Info)data_of(library, "ompi_mpi_info_null");
#else
    aa_mpi.world = MPI_COMM_WORLD;
    aa_mpi.no_comm = MPI_COMM_NULL;
    aa_mpi.byte = MPI_BYTE;
    aa_mpi.no_op = MPI_NO_OP;
    aa_mpi.no_info = MPI_INFO_NULL;
#endif
    find_next(caller);
    atomic_store_explicit(&aa_mpi.bound, true, memory_order_release);
    return true;
}

static void complain(const char *what) {
    dprintf(STDERR_FILENO, "autoanalyzer: %s: %s\n", program_invocation_short_name, what);
}

void aa_mpi_stop(const char *what) {
    complain(what);
    _exit(EXIT_FAILURE);
}

void aa_mpi_bind(const void *caller) {
    if (!bind_to(find_library(), caller))
        aa_mpi_stop("this program loads an MPI library other than " AA_MPI_SONAME
                    ", for which the probe library was built; use the launcher of the program's MPI library");
}

bool aa_mpi_bind_if_any(const void *caller) {
    if (!aa_mpi_is_bound() && has_mpi(find_library()))
        aa_mpi_bind(caller);
    return aa_mpi_is_bound();
}

bool aa_mpi_defines(const void *function) {
    Dl_info found, library;
    return (aa_mpi_is_bound() || bind_to(find_library(), NULL)) && dladdr(function, &found) != 0 &&
           dladdr((void *)aa_mpi.Init, &library) != 0 && found.dli_fbase == library.dli_fbase;
}

/* Removes this library from LD_PRELOAD, in place; returns whether it was listed. */
static bool leave_preload_list(char *list) {
    char *kept = list, *rest = list != NULL ? strdup(list) : NULL, *state = NULL;
    bool found = false;
    if (rest == NULL)
        return false;
    *kept = '\0';
    for (char *item = strtok_r(rest, ": ", &state); item != NULL; item = strtok_r(NULL, ": ", &state)) {
        const char *slash = strrchr(item, '/');
        if (strcmp(slash != NULL ? slash + 1 : item, AA_PROBE_FILE) == 0) {
            found = true;
            continue;
        }
        if (kept != list)
            *kept++ = ':';
        kept = stpcpy(kept, item);
    }
    free(rest);
    return found;
}

/*
 * Restarts the program without this library. This is necessary if the program is linked to an MPI library of
 * the other family, or to a library that forwards calls to one loaded later. In these cases, calls cannot
 * even be passed on, because their arguments have other types.
 */
static void start_without_probes(char **argv) {
    complain("linked to an MPI library other than " AA_MPI_SONAME
             ", for which the probe library was built; nothing is measured");
    if (leave_preload_list(getenv("LD_PRELOAD")))
        execv("/proc/self/exe", argv);
}

/*
 * Returns whether the program is linked to an MPI library without PMPI_Init. Returns false if MPI_Init comes
 * from a preloaded tool, because in a shell, a tool is also loaded without PMPI_Init.
 */
static bool is_linked_to_other_mpi(void) {
    const void *init = aa_look_up(RTLD_NEXT, "MPI_Init");
    const char *preloaded = getenv("LD_PRELOAD");
    Dl_info found;
    dlerror();
    if (init == NULL || dladdr(init, &found) == 0)
        return false;
    return preloaded == NULL || strstr(preloaded, basename(found.dli_fname)) == NULL;
}

__attribute__((constructor)) static void bind_early(int argc, char **argv) {
    (void)argc;
    bool is_other = has_mpi(everywhere()) ? !bind_to(find_library(), NULL) : is_linked_to_other_mpi();
    if (is_other)
        start_without_probes(argv);
}

bool aa_mpi_truncated(int result) {
    int class = MPI_SUCCESS;
    return aa_mpi.Error_class(result, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE;
}
