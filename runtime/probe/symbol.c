#define _GNU_SOURCE
#include "symbol.h"
#include "counter.h"
#include "memory.h"
#include "objects.h"
#include "rare.h"
#include "self.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- one library */

static const char here;

static int find_own(struct dl_phdr_info *library, size_t size, void *wanted) {
    struct aa_span span = aa_span_of(library);
    (void)size;
    if (!aa_span_has(span, (uintptr_t)&here))
        return 0;
    *(struct aa_span *)wanted = span;
    return 1;
}

/* dladdr is not used, because it would search all symbols of a library for each MPI function. */
bool aa_symbol_is_own(const void *symbol) {
    static _Atomic uintptr_t start, end; /* threads that search at the same time get the same result */
    if (end == 0) {
        struct aa_span own = {0, 0};
        dl_iterate_phdr(find_own, &own);
        start = own.start;
        end = own.end;
    }
    return aa_span_has((struct aa_span){start, end}, (uintptr_t)symbol);
}

void *aa_symbol_own_library(void) {
    static void *_Atomic known;
    Dl_info own;
    if (known == NULL && dladdr(&here, &own) != 0)
        known = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return known;
}

/* Keeps a symbol's library loaded, because the symbol's address is stored. */
static void pin(const void *symbol) {
    Dl_info found;
    void *library = NULL;
    if (dladdr(symbol, &found) != 0)
        library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library != NULL)
        dlclose(library);
}

/* Returns a symbol in a file; NULL if the file is not loaded, or if it is this library's own wrapper. */
static void *find_in(const char *file, const char *name) {
    void *library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL)
        return NULL;
    void *symbol = dlsym(library, name);
    if (symbol != NULL && aa_symbol_is_own(symbol))
        symbol = NULL;
    if (symbol != NULL)
        pin(symbol);
    dlclose(library);
    return symbol;
}

static void *find_near(const void *address, const char *name) {
    Dl_info found;
    return dladdr(address, &found) != 0 ? find_in(found.dli_fname, name) : NULL;
}

/* ---- all libraries */

struct place {
    int left; /* number of objects to skip */
    char file[PATH_MAX];
};

static int keep_file(struct dl_phdr_info *library, size_t size, void *wanted) {
    struct place *place = wanted;
    (void)size;
    if (place->left-- > 0)
        return 0;
    snprintf(place->file, sizeof place->file, "%s", library->dlpi_name);
    return 1;
}

/*
 * Returns the first symbol with a name, in the order in which libraries were loaded. For each library, the
 * list is walked again, because libraries must not be queried inside dl_iterate_phdr.
 */
static void *find_anywhere(const char *name) {
    void *symbol = NULL;
    struct place *place = aa_memory_map(sizeof *place);
    if (place == NULL)
        return NULL;
    for (int i = 0; symbol == NULL; i++) {
        place->left = i;
        if (dl_iterate_phdr(keep_file, place) == 0)
            break;
        if (place->file[0] != '\0')
            symbol = find_in(place->file, name);
    }
    aa_memory_unmap(place, sizeof *place);
    return symbol;
}

/* ---- dlerror is called after failures, because it would otherwise report them to the program */

void *aa_symbol_near(const void *address, const char *name) {
    void *symbol = find_near(address, name);
    dlerror();
    return symbol;
}

static void *find_privately(const char *name, const void *caller) {
    void *symbol = find_near(caller, name);
    if (symbol == NULL)
        symbol = find_anywhere(name);
    dlerror();
    return symbol;
}

static void *find_globally(void *scope, const char *name) {
    void *symbol = dlsym(scope, name);
    if (symbol != NULL)
        pin(symbol);
    dlerror();
    return symbol;
}

void *aa_symbol_find(void *scope, const char *name, const void *caller) {
    void *symbol = find_globally(scope, name);
    return symbol != NULL ? symbol : find_privately(name, caller);
}

/* ---- the functions behind wrappers */

#define REMEMBERED 64

/* functions in private libraries that callers in this thread have found since a library was last unloaded */
static _Thread_local struct {
    unsigned long long removals;
    struct found {
        const char *name;
        const void *caller;
        void *function;
    } at[REMEMBERED];
} private;

static int keep_removals(struct dl_phdr_info *library, size_t size, void *removals) {
    (void)size;
    *(unsigned long long *)removals = library->dlpi_subs;
    return 1;
}

/*
 * Returns the cache entry for a caller's function. The cache is emptied when a library is unloaded, because
 * another library may then be at its address.
 */
static struct found *remembered(const char *name, const void *caller) {
    unsigned long long removals = 0;
    dl_iterate_phdr(keep_removals, &removals);
    if (removals != private.removals)
        memset(&private, 0, sizeof private);
    private.removals = removals;
    return &private.at[(((uintptr_t)caller >> 2) ^ ((uintptr_t)name >> 4)) % REMEMBERED];
}

static void *find_next(void *_Atomic *known, const char *name, const void *caller, aa_symbol_check *check) {
    struct found *found = remembered(name, caller);
    if (found->name == name && found->caller == caller)
        return found->function;
    void *function = find_globally(RTLD_NEXT, name);
    bool for_all = function != NULL;
    if (!for_all)
        function = find_privately(name, caller);
    check(function, caller);
    if (for_all)
        atomic_store_explicit(known, function, memory_order_release);
    else
        *found = (struct found){name, caller, function};
    return function;
}

/* Stops counting, because the loader executes tens of thousands of instructions that are not the caller's. */
void *aa_symbol_next(void *_Atomic *known, const char *name, const void *caller, aa_symbol_check *check) {
    aa_counter_stop();
    void *function = find_next(known, name, caller, check);
    aa_rare_work = true;
    aa_counter_go();
    return function;
}
