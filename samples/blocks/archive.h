/* The archive that the master writes: the compressed blocks of all ranks, in the order of the image. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "share.h"

struct archive {
    int length;
    char *bytes;
};

/* Returns an archive with exactly the room that the compressed blocks of all ranks take. All ranks call this,
   but only the master's archive has any bytes. */
struct archive archive_make(const struct share *share);

/* Writes the archive to a file, which bunzip2 turns back into the image. */
void archive_write(const struct archive *archive, const char *path);

/* Returns a checksum of the bytes in their order, the same on every machine (FNV-1a). */
unsigned long long archive_checksum(const struct archive *archive);

#endif
