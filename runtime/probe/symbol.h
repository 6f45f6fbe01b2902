/* Functions and data of the libraries that are wrapped, wherever they have been loaded. */
#ifndef AA_SYMBOL_H
#define AA_SYMBOL_H

/* In the library that an address belongs to, and those that it is linked to; NULL if there is none. */
void *aa_symbol_near(const void *address, const char *name);

/* The function behind a wrapper, which this caller would have called; NULL if there is none. */
void *aa_symbol_next(const char *name, const void *caller);

/* The same, looked up once for each place in a wrapper by the function given, which never returns NULL. */
#define AA_NEXT(look_up, name)                                                                               \
    ({                                                                                                       \
        static void *next;                                                                                   \
        if (__builtin_expect(next == NULL, false))                                                           \
            next = look_up(name, __builtin_return_address(0));                                               \
        next;                                                                                                \
    })

#endif
