#include "share.h"

#include <bzlib.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

enum { LARGEST_BLOCK = 9, QUIET = 0, DEFAULT_EFFORT = 0 };

struct share share_receive(const unsigned char *image, int count) {
    struct share share = {count, allocate(count, BLOCK_BYTES), allocate(count, sizeof *share.rooms)};
    int bytes = count * BLOCK_BYTES;
    MPI_Scatter(image, bytes, MPI_BYTE, share.blocks, bytes, MPI_BYTE, MASTER, MPI_COMM_WORLD);
    return share;
}

void share_compress(struct share *share) {
    /* Region 6: the library does the work, and nearly all of the program's. */
    for (int i = 0; i < share->count; i++) {
        struct room *room = &share->rooms[i];
        char *block = (char *)share->blocks + (size_t)i * BLOCK_BYTES;
        unsigned length = sizeof room->bytes;
        int status = BZ2_bzBuffToBuffCompress(room->bytes, &length, block, BLOCK_BYTES, LARGEST_BLOCK, QUIET,
                                              DEFAULT_EFFORT);
        if (status != BZ_OK) {
            fprintf(stderr, "blocks: libbz2 gives up with status %d\n", status);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        room->length = (int)length;
    }
}

int share_length(const struct share *share) {
    int length = 0;
    for (int i = 0; i < share->count; i++) {
        length += share->rooms[i].length;
    }
    return length;
}

void share_free(struct share *share) {
    free(share->rooms);
    free(share->blocks);
}
