/* Redirects the program's standard output and error, so that a library cannot print there. */
#ifndef AA_SILENCE_H
#define AA_SILENCE_H

#include <stdbool.h>

/*
 * Discard all output to the two streams between begin and end. Do nothing if there are other threads, because
 * these could write to the streams in the meantime.
 */
struct aa_silence {
    bool begun[2];
    int saved[2]; /* -1: the program has closed the stream */
};

struct aa_silence aa_silence_begin(void);
void aa_silence_end(struct aa_silence silence);

#endif
