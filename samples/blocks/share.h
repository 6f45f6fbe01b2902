/* A rank's share of the image, and what became of each of its blocks. */
#ifndef SHARE_H
#define SHARE_H

#include "image.h"

enum { MASTER = 0 };

/* Room for the largest block that libbz2 takes, 900 kB, and what it may add: 1 % and 600 bytes. */
struct room {
    int length;
    char bytes[909600];
};

struct share {
    int count;
    unsigned char *blocks; /* count times BLOCK_BYTES, as they lie in the image */
    struct room *rooms;    /* compressed; one a block */
};

/* Gives each rank the next COUNT blocks of the image. Only the master has one, others pass NULL. */
struct share share_receive(const unsigned char *image, int count);

/* Compresses each block on its own, so that what comes out can be joined to one file. */
void share_compress(struct share *share);

/* How many bytes the blocks became, once they are compressed. */
int share_length(const struct share *share);

void share_free(struct share *share);

#endif
