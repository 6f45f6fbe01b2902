#define _GNU_SOURCE
#include "memory.h"
#include "rare.h"

#include <sys/mman.h>

void *aa_memory_map(size_t bytes) {
    aa_rare_work = true;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void aa_memory_unmap(void *memory, size_t bytes) {
    munmap(memory, bytes);
}
