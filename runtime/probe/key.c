#include "key.h"

const char aa_no_key[] = "no key";

static struct aa_objects at_start;

void aa_key_load(void) {
    at_start = aa_objects_loaded();
}

bool aa_is_never_unloaded(const char *key) {
    for (size_t i = 0; i < at_start.count; i++) {
        if ((uintptr_t)key >= at_start.spans[i].start && (uintptr_t)key < at_start.spans[i].end)
            return true;
    }
    return false;
}
