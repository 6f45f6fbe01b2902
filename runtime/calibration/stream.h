/*
 * A walk through three arrays that no cache holds, one of which is written: a = b + factor c, as in STREAM
 * (McCalpin 1995). As there, 24 bytes are counted per number, without the lines that a cache fetches before
 * they are written.
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

/* Arrays of so many bytes together. Returns -1 where there is no memory. */
int aa_make_stream(struct aa_stream *stream, uint64_t bytes);
void aa_end_stream(struct aa_stream *stream);

/* One time of the work is one number of each array; it goes on where the last one ended. */
void aa_walk_stream(void *stream, uint64_t times);

/*
 * Walks on all cores at the same time, each through its share of so many bytes. Returns the seconds that each
 * of them takes for a byte, of the best of many rounds; 0 where there are no threads, or no memory.
 */
double aa_shared_stream(const struct aa_cores *cores, uint64_t bytes);

#endif
