/* How the compressed blocks come to the master. collect_rooms.c and collect_packed.c do it in two ways; the
   Makefile links one of them. */
#ifndef COLLECT_H
#define COLLECT_H

#include "share.h"

/* Puts the compressed blocks of all ranks, in the order of the image, into the master's ARCHIVE, which has
   room for them. All ranks call it; the others have no archive and pass NULL. */
void collect(const struct share *share, char *archive);

#endif
