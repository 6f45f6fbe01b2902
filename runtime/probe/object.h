/* The shared libraries that have regions: their files are noted, as what a library says of its build is read
 * from there. */
#ifndef AA_OBJECT_H
#define AA_OBJECT_H

#include "objects.h"

/* Note the library in which a descriptor lies. The caller does not hold the shard's lock. */
void aa_object_note(const char *key);

/* Whether a descriptor lies in what was noted and is still loaded. */
bool aa_object_has(const char *key);

/* What lay there was unloaded. */
void aa_object_forget(struct aa_span span);

/* In the child of a fork: they are the parent's. */
void aa_object_forget_all(void);

#endif
