/*
 * The shared libraries that have regions. Their files are recorded, because they contain records of their
 * build.
 */
#ifndef AA_OBJECT_H
#define AA_OBJECT_H

#include "objects.h"

/* Note the library in which a descriptor lies. The caller does not hold the shard's lock. */
void aa_object_note(const char *key);

/* Whether a descriptor is in a recorded object that is still loaded. */
bool aa_object_has(const char *key);

/* The object there was unloaded. */
void aa_object_forget(struct aa_span span);

/* In the child of a fork: they are the parent's. */
void aa_object_forget_all(void);

#endif
