#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Returns zeroed memory for COUNT objects of SIZE bytes. Without memory, ends the program with a message. */
void *allocate(size_t count, size_t size);

#endif
