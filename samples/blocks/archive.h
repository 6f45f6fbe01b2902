/* What the master collects and writes: the compressed blocks, in the order of the image. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "share.h"

struct archive {
    int length;
    char *bytes;
};

/* An archive as long as the blocks of all ranks became. All ranks call it; only the master's has any bytes.
 */
struct archive archive_make(const struct share *share);

/* Writes the archive to a file, which bunzip2 turns back into the image. */
void archive_write(const struct archive *archive, const char *path);

/* The same on every machine for the same bytes in the same order (FNV-1a). */
unsigned long long archive_checksum(const struct archive *archive);

#endif
