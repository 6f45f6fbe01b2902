#include "memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "blocks: no memory for %zu objects of %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}
