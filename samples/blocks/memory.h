#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Zeroed memory for COUNT objects of SIZE bytes. Where there is none, the program ends with a message. */
void *allocate(size_t count, size_t size);

#endif
