#define _GNU_SOURCE
#include "io_files.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Descriptors above are looked at anew each time. */
#define REMEMBERED 4096

enum kind { UNKNOWN, OTHER, REGULAR };

static _Atomic unsigned char kinds[REMEMBERED];

/* MPI libraries talk through files in here. Other tmpfs, as /tmp often is, are the program's. */
static bool is_shared_memory(dev_t device) {
    static _Atomic dev_t shared_memory;
    struct stat status;
    if (shared_memory == 0)
        shared_memory = stat("/dev/shm", &status) == 0 ? status.st_dev : (dev_t)-1;
    return device == shared_memory;
}

static enum kind look_at(int fd) {
    struct stat status;
    struct statfs system;
    if (fstat(fd, &status) != 0)
        return UNKNOWN;
    if (!S_ISREG(status.st_mode) || is_shared_memory(status.st_dev) || fstatfs(fd, &system) != 0)
        return OTHER;
    return system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC ? OTHER : REGULAR;
}

bool aa_io_is_file(int fd) {
    if (fd < 0)
        return false;
    enum kind kind = fd < REMEMBERED ? (enum kind)kinds[fd] : UNKNOWN;
    if (__builtin_expect(kind == UNKNOWN, false)) {
        int error = errno;
        kind = look_at(fd);
        errno = error;
        if (fd < REMEMBERED)
            kinds[fd] = (unsigned char)kind;
    }
    return kind == REGULAR;
}

void aa_io_forget(int first, int last) {
    for (int fd = first < 0 ? 0 : first; fd <= last && fd < REMEMBERED; fd++)
        kinds[fd] = UNKNOWN;
}

void aa_io_end(void) {
    int error = errno;
    aa_share_end(true);
    errno = error;
}

void aa_io_end_read(ssize_t done) {
    if (done >= 0)
        aa_count_io((uint64_t)done, 0);
    aa_io_end();
}

void aa_io_end_write(ssize_t done) {
    if (done >= 0)
        aa_count_io(0, (uint64_t)done);
    aa_io_end();
}
