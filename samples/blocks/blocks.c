/* A disk image, compressed block by block with libbz2: the master reads it, all ranks compress a share of it,
   and the master writes what they collect. README.md says what is slow here, and why. */
#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive.h"
#include "collect.h"
#include "image.h"
#include "share.h"

enum { BLOCKS = 1000 };

static bool read_count(const char *text, int *count) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    *count = (int)value;
    return errno == 0 && end != text && *end == '\0' && value >= 1 && value <= 10000;
}

/* What is wrong with the command line or the number of ranks, or NULL. */
static const char *read_options(int argc, char **argv, int *blocks) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2 || (argc == 2 && !read_count(argv[1], blocks))) {
        return "usage: blocks [blocks], a number from 1 to 10000";
    }
    if (*blocks % size != 0) {
        return "blocks: the blocks do not divide evenly among the ranks";
    }
    return NULL;
}

/* How many blocks there are, as the master tells all ranks; 0 if he had to complain. */
static int agree_on_blocks(int argc, char **argv, int rank) {
    int blocks = BLOCKS;
    const char *complaint = rank == MASTER ? read_options(argc, argv, &blocks) : NULL;
    if (complaint != NULL) {
        fprintf(stderr, "%s\n", complaint);
        blocks = 0;
    }
    MPI_Bcast(&blocks, 1, MPI_INT, MASTER, MPI_COMM_WORLD);
    return blocks;
}

static void report(const struct archive *archive, int blocks) {
    archive_write(archive, "image.bz2");
    printf("blocks: %d blocks of %d bytes became %d bytes, checksum %016llx\n", blocks, BLOCK_BYTES,
           archive->length, archive_checksum(archive));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int blocks = agree_on_blocks(argc, argv, rank);
    if (blocks > 0) {
        unsigned char *image = rank == MASTER ? image_read(blocks) : NULL;
        struct share share = share_receive(image, blocks / size);
        free(image);
        share_compress(&share);
        struct archive archive = archive_make(&share);
        collect(&share, archive.bytes);
        share_free(&share);
        if (rank == MASTER) {
            report(&archive, blocks);
        }
        free(archive.bytes);
    }
    MPI_Finalize();
    return blocks > 0 ? 0 : 2;
}
