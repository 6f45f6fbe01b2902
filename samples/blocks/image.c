#include "image.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memory.h"

enum { WORDS = 32, LONGEST_WORD = 16 };

static const char words[WORDS][LONGEST_WORD] = {
    "a ",       "after ", "and ", "at ",    "before ", "block ",    "by ",     "disk ",
    "file ",    "from ",  "in ",  "is ",    "it ",     "length ",   "master ", "message ",
    "network ", "not ",   "of ",  "on ",    "or ",     "process\n", "rank ",   "region ",
    "the ",     "time ",  "to ",  "track ", "was ",    "while ",    "with ",   "worker.\n",
};

/* The state of a generator of random numbers (Knuth's MMIX), the same on every machine; high bits are best.
 */
static uint64_t random_next(uint64_t state) {
    return state * 6364136223846793005u + 1442695040888963407u;
}

unsigned char *image_read(int count) {
    size_t length = (size_t)count * BLOCK_BYTES;
    unsigned char *image = allocate(length + LONGEST_WORD, 1);
    uint64_t state = 1;
    for (size_t i = 0; i < length;) {
        const char *word = words[(state = random_next(state)) >> 59];
        memcpy(image + i, word, LONGEST_WORD);
        i += strlen(word);
    }
    return image;
}
