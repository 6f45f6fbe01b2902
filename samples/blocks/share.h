/* A rank's share of the image, and its compressed blocks. */
#ifndef SHARE_H
#define SHARE_H

#include "image.h"

enum { MASTER = 0 };

/* Room for a compressed block: libbz2's largest, 900 kB, and what it may add, 1 % and 600 bytes. */
struct room {
    int length;
    char bytes[909600];
};

struct share {
    int count;
    unsigned char *blocks; /* count times BLOCK_BYTES, as in the image */
    struct room *rooms;    /* compressed, one per block */
};

/* Returns this rank's share: the next COUNT blocks of the image, which all but the master pass as NULL. */
struct share share_receive(const unsigned char *image, int count);

/* Compresses each block separately, so that the results can be joined to one file. */
void share_compress(struct share *share);

/* Returns the number of bytes of the compressed blocks. */
int share_length(const struct share *share);

void share_free(struct share *share);

#endif
