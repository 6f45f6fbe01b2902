/* Finds functions and data of the libraries that are wrapped, wherever they were loaded. */
#ifndef AA_SYMBOL_H
#define AA_SYMBOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether an address is in this library; false for NULL. */
bool aa_symbol_is_own(const void *symbol);

/* Returns this library as a handle for dlsym; NULL if it was loaded in a way that cannot be named. */
void *aa_symbol_own_library(void);

/* Finds a symbol in the library that contains an address, and in its dependencies; NULL if there is none. */
void *aa_symbol_near(const void *address, const char *name);

/*
 * Finds a symbol as the caller would: in the scope (RTLD_DEFAULT, or RTLD_NEXT: behind this library),
 * otherwise in libraries that the caller has loaded privately, as Python does. If a caller has jumped here
 * instead of calling, it is unknown; then the first loaded library with the name is used. NULL if there is
 * none.
 */
void *aa_symbol_find(void *scope, const char *name, const void *caller);

/* Called with a function before its first call; function may be NULL. */
typedef void aa_symbol_check(const void *function, const void *caller);

void *aa_symbol_next(void *_Atomic *known, const char *name, const void *caller, aa_symbol_check *check);

/* The function behind a wrapper; looked up once, or once per caller if callers have copies of their own. */
#define AA_NEXT(name, caller, check)                                                                         \
    ({                                                                                                       \
        static void *_Atomic known;                                                                          \
        void *next = atomic_load_explicit(&known, memory_order_acquire);                                     \
        if (__builtin_expect(next == NULL, 0))                                                               \
            next = aa_symbol_next(&known, name, caller, check);                                              \
        next;                                                                                                \
    })

#endif
