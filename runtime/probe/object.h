/*
 * The shared libraries that have regions. Their paths are recorded, because the files contain records of
 * their build.
 */
#ifndef AA_OBJECT_H
#define AA_OBJECT_H

#include "objects.h"

/* Records the library that contains a descriptor. The caller does not hold the shard's lock. */
void aa_object_note(const char *key);

/* Whether a descriptor is in a recorded object that is still loaded. */
bool aa_object_has(const char *key);

/* The object in this memory was unloaded. */
void aa_object_forget(struct aa_span span);

/* In the child of a fork: the records are in the parent's shard. */
void aa_object_forget_all(void);

#endif
