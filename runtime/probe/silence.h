/* Redirects the program's standard streams, so that a library cannot print into them. */
#ifndef AA_SILENCE_H
#define AA_SILENCE_H

#include <stdbool.h>

/* The streams lead nowhere between begin and end, unless other threads could write to them meanwhile. */
struct aa_silence {
    bool begun[2];
    int saved[2]; /* -1: the program has closed the stream */
};

struct aa_silence aa_silence_begin(void);
void aa_silence_end(struct aa_silence silence);

#endif
