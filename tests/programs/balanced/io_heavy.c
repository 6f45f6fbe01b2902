/* Balanced and dominated by disk I/O: every rank writes a file of its own in DIR, and reads it back.
   io_heavy DIR [megabytes] */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };

static void fail(const char *what) {
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_blocks(const char *path, int blocks, uint64_t *block) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        fail(path);
    }
    for (int i = 0; i < blocks; i++) {
        block[0] = (uint64_t)i;
        if (fwrite(block, BLOCK, 1, file) != 1) {
            fail(path);
        }
    }
    if (fclose(file) != 0) {
        fail(path);
    }
}

static uint64_t read_blocks(const char *path, int blocks, uint64_t *block) {
    uint64_t sum = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail(path);
    }
    for (int i = 0; i < blocks; i++) {
        if (fread(block, BLOCK, 1, file) != 1) {
            fail(path);
        }
        sum += block[0];
    }
    fclose(file);
    return sum;
}

int main(int argc, char **argv) {
    static uint64_t block[BLOCK / sizeof(uint64_t)];
    MPI_Init(&argc, &argv);
    int rank, blocks = argc > 2 ? atoi(argv[2]) : 64;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2) {
        fprintf(stderr, "usage: io_heavy DIR [megabytes]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/io_heavy.%d", argv[1], rank);
    write_blocks(path, blocks, block);
    uint64_t sum = 0, own = read_blocks(path, blocks, block);
    unlink(path);
    MPI_Reduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("io_heavy: %" PRIu64 "\n", sum);
    }
    MPI_Finalize();
    return 0;
}
