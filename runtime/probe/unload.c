/*
 * dlclose: descriptors of an unloaded library are gone, and another library may come to lie, with other
 * descriptors, at the same addresses. So these addresses are no keys any more.
 */
#define _GNU_SOURCE
#include "call_site.h"
#include "key.h"
#include "object.h"
#include "probe.h"
#include "process.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#define FIRST_ROOM 256u

/* What is loaded; less of it if there is no memory for more. */
struct objects {
    size_t count, room;
    struct aa_span *spans;
    unsigned long long unloaded; /* so many were, up to now */
};

static void widen(struct objects *objects) {
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
    struct objects *objects = found;
    (void)unused;
    objects->unloaded = info->dlpi_subs;
    if (objects->count == objects->room)
        widen(objects);
    if (objects->count == objects->room)
        return 1;
    objects->spans[objects->count++] = aa_span_of(info);
    return 0;
}

static struct objects loaded(void) {
    struct objects objects = {.count = 0};
    dl_iterate_phdr(add_object, &objects);
    return objects;
}

static bool has(const struct objects *objects, struct aa_span wanted) {
    for (size_t i = 0; i < objects->count; i++) {
        if (objects->spans[i].start == wanted.start && objects->spans[i].end == wanted.end)
            return true;
    }
    return false;
}

static struct objects at_start;

void aa_key_load(void) {
    at_start = loaded();
}

bool aa_is_never_unloaded(const char *key) {
    for (size_t i = 0; i < at_start.count; i++) {
        if ((uintptr_t)key >= at_start.spans[i].start && (uintptr_t)key < at_start.spans[i].end)
            return true;
    }
    return false;
}

static void forget(struct aa_span span) {
    aa_key_forget_all(span);
    aa_call_site_forget(span);
    aa_object_forget(span);
}

static void forget_unloaded(const struct objects *before, const struct objects *after) {
    for (size_t i = 0; before->unloaded != after->unloaded && i < before->count; i++) {
        if (!has(after, before->spans[i]))
            forget(before->spans[i]);
    }
}

static void drop(struct objects *objects) {
    if (objects->room)
        aa_memory_unmap(objects->spans, objects->room * sizeof *objects->spans);
}

AA_EXPORT int dlclose(void *library) {
    static int (*_Atomic known)(void *);
    int (*next)(void *) = known;
    if (!next)
        known = next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    if (!aa_process_records())
        return next(library);
    struct objects before = loaded();
    int result = next(library);
    struct objects after = loaded();
    forget_unloaded(&before, &after);
    drop(&before);
    drop(&after);
    return result;
}
