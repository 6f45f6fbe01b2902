/* Finds functions and data of the wrapped libraries, regardless of how these were loaded. */
#ifndef AA_SYMBOL_H
#define AA_SYMBOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns whether an address is in this library; false for NULL. */
bool aa_symbol_is_own(const void *symbol);

/* Returns this library as a handle for dlsym; NULL if dlopen does not find it by its file name. */
void *aa_symbol_own_library(void);

/* Returns a symbol in the library that contains an address, or in its dependencies; NULL if there is none. */
void *aa_symbol_near(const void *address, const char *name);

/*
 * Returns a symbol as the caller would find it: in the scope (RTLD_DEFAULT, or RTLD_NEXT for libraries after
 * this one), otherwise in libraries that the caller has loaded privately, as Python does. If the caller is
 * unknown, because it jumped instead of calling, the symbol is from the first loaded library that has it.
 * NULL if there is no such symbol.
 */
void *aa_symbol_find(void *scope, const char *name, const void *caller);

/* A callback for each function that was found, before its first use; `function` may be NULL. */
typedef void aa_symbol_check(const void *function, const void *caller);

/*
 * Returns the function behind a wrapper for a caller. If the function is the same for all callers, stores it
 * in `known`; otherwise caches it for this caller.
 */
void *aa_symbol_next(void *_Atomic *known, const char *name, const void *caller, aa_symbol_check *check);

/*
 * Returns the function behind a wrapper. It is looked up once, or once per caller if callers have their own
 * copies.
 */
#define AA_NEXT(name, caller, check)                                                                         \
    ({                                                                                                       \
        static void *_Atomic known;                                                                          \
        void *next = atomic_load_explicit(&known, memory_order_acquire);                                     \
        if (__builtin_expect(next == NULL, 0))                                                               \
            next = aa_symbol_next(&known, name, caller, check);                                              \
        next;                                                                                                \
    })

#endif
