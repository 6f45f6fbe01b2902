#define _GNU_SOURCE
#include "object.h"
#include "objects.h"
#include "sample.h"
#include "shard.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_OBJECTS 1024u

/* the known libraries; changed with the shard's lock, read without it */
static struct {
    _Atomic uintptr_t start, end; /* equal: unloaded */
    struct aa_object *object;     /* null: the executable, this library, or a lack of memory */
} known[MOST_OBJECTS];
static _Atomic uint32_t count;

static bool is_known(uintptr_t address) {
    uint32_t end = atomic_load_explicit(&count, memory_order_acquire);
    for (uint32_t i = 0; i < end; i++) {
        if (aa_span_has((struct aa_span){known[i].start, known[i].end}, address))
            return true;
    }
    return false;
}

struct found {
    uintptr_t address;
    struct aa_span span;
    /* in the loader's memory, valid as long as the library is loaded; empty: not to be recorded */
    const char *name;
};

static int find(struct dl_phdr_info *info, size_t unused, void *wanted) {
    struct found *found = wanted;
    struct aa_span span = aa_span_of(info);
    (void)unused;
    if (!aa_span_has(span, found->address))
        return 0;
    found->span = span;
    found->name = aa_span_has(span, (uintptr_t)known) ? "" : info->dlpi_name;
    return 1;
}

/* ---- with the lock */

static struct aa_object *append(const char *name) {
    size_t length = strlen(name);
    struct aa_object *object = aa_shard_append(AA_RECORD_OBJECT, sizeof *object + length + 1);
    if (!object)
        return NULL;
    object->length = (uint32_t)length;
    memcpy(object->name, name, length);
    aa_shard_publish();
    return object;
}

/* Returns the index of a library that was loaded before, or a new index. */
static uint32_t place_of(const char *name) {
    for (uint32_t i = 0; i < count; i++) {
        if (known[i].start == known[i].end && known[i].object && strcmp(known[i].object->name, name) == 0)
            return i;
    }
    return count;
}

static void keep(const struct found *found) {
    const char *name = aa_objects_whole_name(found->name);
    uint32_t place = place_of(name);
    if (place == MOST_OBJECTS || is_known(found->address))
        return;
    if (place == count)
        known[place].object = *name ? append(name) : NULL;
    known[place].start = UINTPTR_MAX; /* excludes all addresses until both are set */
    known[place].end = found->span.end;
    known[place].start = found->span.start;
    if (place == count)
        atomic_store_explicit(&count, count + 1, memory_order_release);
}

/* ---- without the lock, because dl_iterate_phdr has its own lock */

void aa_object_note(const char *key) {
    struct found found = {.address = (uintptr_t)key};
    if (is_known(found.address) || !dl_iterate_phdr(find, &found))
        return;
    aa_shard_lock();
    keep(&found);
    aa_shard_unlock();
    aa_sample_note_objects();
}

bool aa_object_has(const char *key) {
    return is_known((uintptr_t)key);
}

void aa_object_forget(struct aa_span span) {
    uint32_t end = atomic_load_explicit(&count, memory_order_acquire);
    for (uint32_t i = 0; i < end; i++) {
        if (known[i].start == span.start && known[i].end == span.end)
            known[i].start = span.end;
    }
}

void aa_object_forget_all(void) {
    memset(known, 0, sizeof known);
    count = 0;
}
