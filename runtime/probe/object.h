/*
 * The shared libraries that have regions. Their paths are recorded, because the library files contain records
 * of the build.
 */
#ifndef AA_OBJECT_H
#define AA_OBJECT_H

#include "objects.h"

/*
 * Records the library that contains a descriptor, unless it is already recorded. The caller must not hold the
 * shard's lock.
 */
void aa_object_note(const char *key);

/* Returns whether an address is in a recorded object that is still loaded. */
bool aa_object_has(const char *key);

/* Marks the object in this memory as unloaded. */
void aa_object_forget(struct aa_span span);

/* Forgets all objects in the child of a fork, because their records are in the parent's shard. */
void aa_object_forget_all(void);

#endif
