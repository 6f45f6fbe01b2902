/*
 * A walk through three arrays that exceed every cache: a = b + factor c, as in STREAM (McCalpin 1995). As in
 * STREAM, 24 bytes are counted per element; lines that a cache reads before they are overwritten are not
 * counted.
 */
#ifndef AA_STREAM_H
#define AA_STREAM_H

#include "cores.h"
#include "work.h"

enum { AA_STREAM_BYTES = 24 };

struct aa_stream {
    double *sum, *first, *second;
    uint64_t length, next;
};

/* Allocates arrays of this many bytes in total. Returns -1 if there is not enough memory. */
int aa_make_stream(struct aa_stream *stream, uint64_t bytes);
void aa_end_stream(struct aa_stream *stream);

/* One repetition processes one number of each array; a walk continues where the last one ended. */
void aa_walk_stream(void *stream, uint64_t times);

/*
 * Walks on all cores at the same time, each through its share of the bytes. Returns the seconds per byte and
 * core in the best of many rounds; 0 if threads cannot be started, or if there is not enough memory.
 */
double aa_shared_stream(const struct aa_cores *cores, uint64_t bytes);

#endif
