/* Nothing is printed into the program's streams. */
#ifndef AA_SILENCE_H
#define AA_SILENCE_H

#include <stdbool.h>

/* They lead nowhere from begin to end, unless other threads could write to them meanwhile. */
struct aa_silence {
    bool begun[2];
    int saved[2]; /* -1: the program has it closed */
};

struct aa_silence aa_silence_begin(void);
void aa_silence_end(struct aa_silence silence);

#endif
