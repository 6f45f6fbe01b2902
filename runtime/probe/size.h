/* Sizes as users write them: bytes, optionally with K, M or G. */
#ifndef AA_SIZE_H
#define AA_SIZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Parses a size of less than 2^34 units, and stores it in bytes; returns false if the text is not a size. */
static inline bool aa_size_of(const char *text, uint64_t *bytes) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    static const char units[] = "KMG";
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (*text == '-' || end == text || (*end && (!unit || end[1])) || value > UINT64_MAX >> 34)
        return false;
    *bytes = (uint64_t)value << shift;
    return true;
}

#endif
