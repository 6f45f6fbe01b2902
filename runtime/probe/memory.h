#ifndef AA_MEMORY_H
#define AA_MEMORY_H

#include <stddef.h>

/*
 * Maps private, zeroed memory; null if there is none. It avoids large buffers on the program's stack,
 * which may be only a page.
 */
void *aa_memory_map(size_t bytes);
void aa_memory_unmap(void *memory, size_t bytes);

#endif
