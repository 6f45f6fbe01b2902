/*
 * dlclose. When a library is unloaded, its descriptors are gone, and another library may have other
 * descriptors at the same addresses. These addresses are therefore removed as keys.
 */
#define _GNU_SOURCE
#include "call_site.h"
#include "object.h"
#include "objects.h"
#include "openmp_waits.h"
#include "probe.h"
#include "process.h"
#include "sample.h"
#include "thread.h"

#include <dlfcn.h>

static void forget(struct aa_span span) {
    aa_thread_forget_keys(span);
    aa_call_site_forget(span);
    aa_wait_forget(span);
    aa_object_forget(span);
}

static void forget_unloaded(const struct aa_objects *before, const struct aa_objects *after) {
    for (size_t i = 0; before->unloaded != after->unloaded && i < before->count; i++) {
        if (!aa_objects_have(after, before->spans[i]))
            forget(before->spans[i]);
    }
}

AA_EXPORT int dlclose(void *library) {
    static int (*_Atomic known)(void *);
    int (*next)(void *) = known;
    if (!next)
        known = next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
    if (!aa_process_records())
        return next(library);
    aa_sample_note_objects();
    struct aa_objects before = aa_objects_loaded();
    int result = next(library);
    struct aa_objects after = aa_objects_loaded();
    forget_unloaded(&before, &after);
    aa_objects_drop(&before);
    aa_objects_drop(&after);
    return result;
}
