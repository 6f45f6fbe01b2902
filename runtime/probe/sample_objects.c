#define _GNU_SOURCE
#include "objects.h"
#include "sample.h"
#include "self.h"

#include <link.h>
#include <pthread.h>
#include <string.h>

#define MOST_OBJECTS 1024u

struct object {
    struct aa_span code;
    uintptr_t bias;
    const char *name; /* in the loader's memory, valid as long as the library is loaded */
    uint64_t key; /* a hash of the name, because another library may be loaded at the same address later */
};

/*
 * The objects in the shard, followed by objects that were just found. Only one thread at a time adds objects.
 */
static struct {
    struct object all[MOST_OBJECTS];
    uint32_t count, noted;
    unsigned long long loaded; /* the number of objects that the process has loaded so far */
} objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t key_of(const char *name) {
    uint64_t key = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *name; name++)
        key = (key ^ (unsigned char)*name) * 0x100000001b3u;
    return key;
}

static struct object object_of(const struct dl_phdr_info *info) {
    struct object object = {{UINTPTR_MAX, 0}, info->dlpi_addr, info->dlpi_name, key_of(info->dlpi_name)};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        object.code.start = start < object.code.start ? start : object.code.start;
        object.code.end = end > object.code.end ? end : object.code.end;
    }
    return object;
}

static bool is_known(const struct object *object) {
    for (uint32_t i = 0; i < objects.count; i++) {
        const struct object *each = &objects.all[i];
        if (each->code.start == object->code.start && each->code.end == object->code.end &&
            each->bias == object->bias && each->key == object->key)
            return true;
    }
    return false;
}

static int find(struct dl_phdr_info *info, size_t unused, void *nothing) {
    (void)unused, (void)nothing;
    struct object object = object_of(info);
    if (object.code.end && objects.count < MOST_OBJECTS && !is_known(&object))
        objects.all[objects.count++] = object;
    return 0;
}

static int count_loaded(struct dl_phdr_info *info, size_t unused, void *loaded) {
    (void)unused;
    *(unsigned long long *)loaded = info->dlpi_adds;
    return 1;
}

static void append(const struct object *object) {
    /* the kernel's own object is not in a file, and its name is not a path */
    const char *name = strchr(object->name, '/') ? aa_objects_whole_name(object->name) : object->name;
    size_t length = strlen(name);
    struct aa_mapping *mapping = aa_shard_append(AA_RECORD_MAPPING, sizeof *mapping + length + 1);
    if (!mapping)
        return;
    mapping->start = object->code.start;
    mapping->end = object->code.end;
    mapping->bias = object->bias;
    mapping->length = (uint32_t)length;
    memcpy(mapping->name, name, length);
}

static void append_new(void) {
    aa_shard_lock();
    while (objects.noted < objects.count)
        append(&objects.all[objects.noted++]);
    aa_shard_publish();
    aa_shard_unlock();
}

void aa_sample_note_objects(void) {
    if (!aa_shard() || !aa_sample_has_signal() || pthread_mutex_trylock(&lock) != 0)
        return;
    struct aa_section section = aa_section_begin();
    unsigned long long loaded = objects.loaded;
    dl_iterate_phdr(count_loaded, &loaded);
    if (loaded != objects.loaded) {
        dl_iterate_phdr(find, NULL);
        objects.loaded = loaded;
    }
    if (objects.noted < objects.count)
        append_new();
    aa_section_end(section);
    pthread_mutex_unlock(&lock);
}

void aa_sample_forget_objects(void) {
    memset(&objects, 0, sizeof objects);
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
