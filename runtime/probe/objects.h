/* The loaded objects: the program and its libraries, each with its memory. */
#ifndef AA_OBJECTS_H
#define AA_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aa_span {
    uintptr_t start, end;
};

static inline bool aa_span_has(struct aa_span span, uintptr_t address) {
    return address >= span.start && address < span.end;
}

struct dl_phdr_info;

/* Returns the memory of an object, from its first loaded byte to its last. */
struct aa_span aa_span_of(const struct dl_phdr_info *object);

/* The loaded objects; incomplete if memory is short. */
struct aa_objects {
    size_t count, room;
    struct aa_span *spans;
    unsigned long long unloaded; /* the number of objects that the process has unloaded so far */
};

/* Returns the objects that are loaded now, which aa_objects_drop must free. */
struct aa_objects aa_objects_loaded(void);
void aa_objects_drop(struct aa_objects *objects);

/* Returns whether one of the objects has exactly this memory. */
bool aa_objects_have(const struct aa_objects *objects, struct aa_span wanted);

/*
 * Returns a library's absolute path, because the loader's names may be relative to the working directory; an
 * empty text if the path is too long. The caller holds the shard's lock.
 */
const char *aa_objects_whole_name(const char *given);

#endif
