#ifndef AA_MEMORY_H
#define AA_MEMORY_H

#include <stddef.h>

/* Private memory, zeroed; null if there is none. It takes no room on the program's stack, which may be a
 * page. */
void *aa_memory_map(size_t bytes);
void aa_memory_unmap(void *memory, size_t bytes);

#endif
