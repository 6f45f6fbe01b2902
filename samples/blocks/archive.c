#include "archive.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memory.h"

struct archive archive_make(const struct share *share) {
    int rank, own = share_length(share);
    struct archive archive = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&own, &archive.length, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    archive.bytes = rank == MASTER ? allocate(archive.length, 1) : NULL;
    return archive;
}

void archive_write(const struct archive *archive, const char *path) {
    size_t length = archive->length;
    FILE *file = fopen(path, "wb");
    bool written = file != NULL && fwrite(archive->bytes, 1, length, file) == length;
    if (file == NULL || fclose(file) != 0 || !written) {
        fprintf(stderr, "blocks: %s cannot be written\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

unsigned long long archive_checksum(const struct archive *archive) {
    uint64_t sum = 14695981039346656037u;
    for (int i = 0; i < archive->length; i++) {
        sum = (sum ^ (unsigned char)archive->bytes[i]) * 1099511628211u;
    }
    return sum;
}
