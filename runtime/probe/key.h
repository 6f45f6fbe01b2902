/*
 * Keys in frames and edges are the addresses of descriptors. A thread sets only its own keys, but a thread
 * that unloads a library removes the library's keys from the frames and edges of all threads.
 */
#ifndef AA_KEY_H
#define AA_KEY_H

#include "objects.h"

#include <stdbool.h>

/* replaces a key that was forgotten or never existed; no descriptor has this address or this text */
extern const char aa_no_key[];

static inline const char *aa_key_get(const char *const *place) {
    return __atomic_load_n(place, __ATOMIC_RELAXED);
}

static inline void aa_key_set(const char **place, const char *key) {
    __atomic_store_n(place, key, __ATOMIC_RELAXED);
}

/* Replaces a key in this memory with aa_no_key, unless its thread has changed it in the meantime. */
static inline void aa_key_forget(const char **place, struct aa_span span) {
    const char *key = aa_key_get(place);
    if ((uintptr_t)key >= span.start && (uintptr_t)key < span.end)
        __atomic_compare_exchange_n(place, &key, aa_no_key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Returns whether a key is in an object that was loaded with the program, and is thus never unloaded. */
bool aa_is_never_unloaded(const char *key);
/* Finds the objects that were loaded with the program; called once, when the library is loaded. */
void aa_key_load(void);

#endif
