#define _GNU_SOURCE
#include "file_use.h"
#include "self.h"

#include <string.h>

#define MOST_FILES 512u

/* The records. The first record, with an empty name, is for all files that have no record of their own. */
static struct aa_file *files[MOST_FILES];
static _Atomic uint32_t count;

static struct aa_file *append(const char *name) {
    size_t length = strlen(name);
    struct aa_file *file = aa_shard_append(AA_RECORD_FILE, sizeof *file + length + 1);
    if (file == NULL)
        return NULL;
    file->length = (uint32_t)length;
    memcpy(file->name, name, length);
    aa_shard_publish();
    files[count] = file;
    atomic_store_explicit(&count, count + 1, memory_order_release);
    return file;
}

/*
 * Returns the number of a file's record; if there is no space, 1, which is the record shared by all further
 * files. The caller holds the lock.
 */
static uint16_t find_or_append(const char *name) {
    if (count == 0 && append("") == NULL)
        return 0;
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(files[i]->name, name) == 0)
            return (uint16_t)(i + 1);
    if (count == MOST_FILES || append(name) == NULL)
        return 1;
    return (uint16_t)count;
}

uint16_t aa_file_number(const char *name) {
    if (aa_shard() == NULL || aa_thread_closed)
        return 0;
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    uint16_t number = find_or_append(name);
    aa_shard_unlock();
    aa_section_end(section);
    return number;
}

static inline void add(_Atomic uint64_t *value, uint64_t more, bool alone) {
    if (more == 0)
        return;
    if (alone)
        atomic_store_explicit(value, atomic_load_explicit(value, memory_order_relaxed) + more,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(value, more, memory_order_relaxed);
}

void aa_file_add(uint16_t number, uint64_t calls, uint64_t read, uint64_t written, uint64_t ticks) {
    if (number == 0 || number > atomic_load_explicit(&count, memory_order_acquire))
        return;
    struct aa_file *file = files[number - 1];
    bool alone = aa_shard()->threads <= 1;
    add(&file->calls, calls, alone);
    add(&file->read, read, alone);
    add(&file->written, written, alone);
    add(&file->ticks, ticks, alone);
}

void aa_file_forget(void) {
    count = 0;
}
