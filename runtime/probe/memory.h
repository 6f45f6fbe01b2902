#ifndef AA_MEMORY_H
#define AA_MEMORY_H

#include <stddef.h>

/*
 * Maps private, zeroed memory; returns null if there is none. Also used for large buffers, because the
 * program's stack may be as small as a page.
 */
void *aa_memory_map(size_t bytes);
void aa_memory_unmap(void *memory, size_t bytes);

#endif
