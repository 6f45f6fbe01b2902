/* Functions and data of the libraries that are wrapped, wherever they have been loaded. */
#ifndef AA_SYMBOL_H
#define AA_SYMBOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether an address is in this library; nothing is at none. */
bool aa_symbol_is_own(const void *symbol);

/* This library as dlsym takes it; NULL if it was loaded in a way that cannot be named. */
void *aa_symbol_own_library(void);

/* In the library that an address belongs to, and those that it is linked to; NULL if there is none. */
void *aa_symbol_near(const void *address, const char *name);

/*
 * What the caller means by a name: in the scope (RTLD_DEFAULT, or RTLD_NEXT: behind this library), else in
 * what the caller has loaded privately, as Python does. A caller that has jumped instead of calling cannot be
 * told: for it, in the first library loaded that has the name. NULL if there is none.
 */
void *aa_symbol_find(void *scope, const char *name, const void *caller);

/* What is done with a function before it is called for the first time; it may be NULL. */
typedef void aa_symbol_check(const void *function, const void *caller);

void *aa_symbol_next(void *_Atomic *known, const char *name, const void *caller, aa_symbol_check *check);

/* The function behind a wrapper; looked up once, or once for each caller where they have copies of their own.
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
