#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LENGTH = 4 * AA_LONG };

struct file {
    int number;
    size_t length; /* bytes per call */
    off_t at;
};

static char bytes[AA_LONG];
static int failure;

static void note_failure(ssize_t done, size_t asked) {
    if (done != (ssize_t)asked)
        failure = done < 0 ? errno : ENOSPC;
}

static void read_file(void *state, uint64_t times) {
    struct file *file = state;
    for (uint64_t t = 0; t < times; t++) {
        note_failure(pread(file->number, bytes, file->length, file->at), file->length);
        file->at = (file->at + (off_t)file->length) % FILE_LENGTH;
    }
}

static void write_file(void *state, uint64_t times) {
    struct file *file = state;
    for (uint64_t t = 0; t < times && !failure; t++) {
        note_failure(pwrite(file->number, bytes, file->length, file->at), file->length);
        file->at += (off_t)file->length;
    }
}

/* Empties the file before each sample, because programs mostly write new files. */
static void empty_file(void *state) {
    struct file *file = state;
    if (ftruncate(file->number, 0))
        failure = errno;
    file->at = 0;
}

static int made(const char *name, size_t length) {
    int number = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (number < 0)
        return -1;
    unlink(name);
    for (size_t at = 0; at < length; at += sizeof bytes)
        if (pwrite(number, bytes, sizeof bytes, (off_t)at) != (ssize_t)sizeof bytes)
            return -1;
    return number;
}

int aa_files(struct aa_work works[AA_FILE_WORKS], const char *name) {
    static struct file few_read, long_read, few_written, long_written;
    memset(bytes, 1, sizeof bytes);
    int full = made(name, FILE_LENGTH), empty = made(name, 0);
    if (full < 0 || empty < 0)
        return -1;
    few_read = (struct file){full, AA_FEW, 0};
    long_read = (struct file){full, AA_LONG, 0};
    few_written = (struct file){empty, AA_FEW, 0};
    long_written = (struct file){empty, AA_LONG, 0};
    const struct aa_work of_files[AA_FILE_WORKS] = {
        {.name = "read_call", .run = read_file, .state = &few_read},
        {.name = "read_long", .run = read_file, .state = &long_read},
        {.name = "write_call", .run = write_file, .prepare = empty_file, .state = &few_written},
        {.name = "write_long", .run = write_file, .prepare = empty_file, .state = &long_written},
    };
    for (int i = 0; i < AA_FILE_WORKS; i++) {
        works[i] = of_files[i];
        works[i].clock = CLOCK_MONOTONIC;
    }
    return 0;
}

int aa_file_failure(void) {
    return failure;
}
