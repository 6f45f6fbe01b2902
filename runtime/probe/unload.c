/*
 * dlclose: descriptors of an unloaded library are gone, and another library may come to lie, with other
 * descriptors, at the same addresses. So these addresses are no keys any more.
 */
#define _GNU_SOURCE
#include "probe.h"
#include "tree.h"

#include <dlfcn.h>
#include <link.h>

#define MOST_OBJECTS 1024

struct objects {
    size_t count;
    struct span {
        uintptr_t start, end;
    } spans[MOST_OBJECTS];
};

static int add_object(struct dl_phdr_info *info, size_t unused, void *found) {
    struct objects *objects = found;
    (void)unused;
    if (objects->count == MOST_OBJECTS)
        return 1;
    struct span span = {UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        if (part->p_type != PT_LOAD)
            continue;
        span.start = start < span.start ? start : span.start;
        span.end = end > span.end ? end : span.end;
    }
    objects->spans[objects->count++] = span;
    return 0;
}

static bool has(const struct objects *objects, struct span wanted) {
    for (size_t i = 0; i < objects->count; i++) {
        if (objects->spans[i].start == wanted.start && objects->spans[i].end == wanted.end)
            return true;
    }
    return false;
}

static void forget_unloaded(const struct objects *before, const struct objects *after) {
    for (size_t i = 0; i < before->count; i++) {
        if (!has(after, before->spans[i]))
            aa_tree_forget_keys((const char *)before->spans[i].start, (const char *)before->spans[i].end);
    }
}

AA_EXPORT int dlclose(void *library) {
    static int (*next)(void *);
    if (!next)
        next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    struct objects *objects = aa_shard() ? aa_memory_map(2 * sizeof *objects) : NULL;
    if (!objects)
        return next(library);
    dl_iterate_phdr(add_object, &objects[0]);
    int result = next(library);
    dl_iterate_phdr(add_object, &objects[1]);
    forget_unloaded(&objects[0], &objects[1]);
    aa_memory_unmap(objects, 2 * sizeof *objects);
    return result;
}
