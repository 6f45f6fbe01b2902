#define _GNU_SOURCE
#include "objects.h"
#include "memory.h"
#include "shard.h"

#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#define FIRST_ROOM 256u

static void widen(struct aa_objects *objects) {
    size_t room = objects->room ? 2 * objects->room : FIRST_ROOM;
    struct aa_span *spans = aa_memory_map(room * sizeof *spans);
    if (!spans)
        return;
    if (objects->room) {
        memcpy(spans, objects->spans, objects->count * sizeof *spans);
        aa_memory_unmap(objects->spans, objects->room * sizeof *spans);
    }
    objects->spans = spans;
    objects->room = room;
}

struct aa_span aa_span_of(const struct dl_phdr_info *object) {
    struct aa_span span = {UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        if (part->p_type != PT_LOAD)
            continue;
        span.start = start < span.start ? start : span.start;
        span.end = end > span.end ? end : span.end;
    }
    return span;
}

static int add_object(struct dl_phdr_info *info, size_t unused, void *found) {
    struct aa_objects *objects = found;
    (void)unused;
    objects->unloaded = info->dlpi_subs;
    if (objects->count == objects->room)
        widen(objects);
    if (objects->count == objects->room)
        return 1;
    objects->spans[objects->count++] = aa_span_of(info);
    return 0;
}

struct aa_objects aa_objects_loaded(void) {
    struct aa_objects objects = {.count = 0};
    dl_iterate_phdr(add_object, &objects);
    return objects;
}

bool aa_objects_have(const struct aa_objects *objects, struct aa_span wanted) {
    for (size_t i = 0; i < objects->count; i++) {
        if (objects->spans[i].start == wanted.start && objects->spans[i].end == wanted.end)
            return true;
    }
    return false;
}

void aa_objects_drop(struct aa_objects *objects) {
    if (objects->room)
        aa_memory_unmap(objects->spans, objects->room * sizeof *objects->spans);
}

/* The result is not on the stack, which may be too small for a path. */
const char *aa_objects_whole_name(const char *given) {
    static char name[PATH_MAX];
    size_t length = 0;
    if (*given == '/' || !*given || !getcwd(name, sizeof name - 1))
        return given;
    length = strlen(name);
    name[length++] = '/';
    if (length + strlen(given) >= sizeof name)
        return "";
    return strcpy(name + length, given) - length;
}
