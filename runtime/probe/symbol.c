#define _GNU_SOURCE
#include "symbol.h"

#include <dlfcn.h>
#include <stddef.h>

static void *find_near(const void *address, const char *name) {
    Dl_info found;
    void *library = NULL, *symbol = NULL;
    if (dladdr(address, &found) != 0)
        library = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) {
        symbol = dlsym(library, name);
        dlclose(library);
    }
    return symbol;
}

/* After a failure dlerror is emptied, or the program would take it for one of its own. */
void *aa_symbol_near(const void *address, const char *name) {
    void *symbol = find_near(address, name);
    dlerror();
    return symbol;
}

/* What is loaded privately, as Python does, is found by its caller only. */
void *aa_symbol_next(const char *name, const void *caller) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL)
        symbol = find_near(caller, name);
    dlerror();
    return symbol;
}
