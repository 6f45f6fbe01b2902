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

static _Atomic unsigned char kinds[REMEMBERED];

/* MPI libraries talk through files in here. Other tmpfs, as /tmp often is, are the program's. */
static bool is_shared_memory(dev_t device) {
    static _Atomic dev_t shared_memory;
    struct stat status;
    if (shared_memory == 0)
        shared_memory = stat("/dev/shm", &status) == 0 ? status.st_dev : (dev_t)-1;
    return device == shared_memory;
}

/* Neither can be had, or both say what kind of file it is. */
static enum aa_io_kind kind_of(bool known, const struct stat *status, bool system_known,
                               const struct statfs *system) {
    if (!known)
        return AA_IO_UNKNOWN;
    if (!S_ISREG(status->st_mode) || is_shared_memory(status->st_dev) || !system_known)
        return AA_IO_OTHER;
    return system->f_type == PROC_SUPER_MAGIC || system->f_type == SYSFS_MAGIC ? AA_IO_OTHER : AA_IO_REGULAR;
}

static enum aa_io_kind look_at(int fd) {
    struct stat status;
    struct statfs system;
    bool known = fstat(fd, &status) == 0;
    return kind_of(known, &status, known && fstatfs(fd, &system) == 0, &system);
}

enum aa_io_kind aa_io_kind_of_path(const char *path) {
    struct stat status;
    struct statfs system;
    int error = errno;
    bool known = stat(path, &status) == 0;
    enum aa_io_kind kind = kind_of(known, &status, known && statfs(path, &system) == 0, &system);
    errno = error;
    return kind;
}

bool aa_io_is_file(int fd) {
    if (fd < 0)
        return false;
    enum aa_io_kind kind = fd < REMEMBERED ? (enum aa_io_kind)kinds[fd] : AA_IO_UNKNOWN;
    if (__builtin_expect(kind == AA_IO_UNKNOWN, false)) {
        int error = errno;
        kind = look_at(fd);
        errno = error;
        if (fd < REMEMBERED)
            kinds[fd] = (unsigned char)kind;
    }
    return kind == AA_IO_REGULAR;
}

void aa_io_forget(int first, int last) {
    for (int fd = first < 0 ? 0 : first; fd <= last && fd < REMEMBERED; fd++)
        kinds[fd] = AA_IO_UNKNOWN;
}

void aa_io_end(void) {
    int error = errno;
    aa_share_end(true);
    errno = error;
}

void aa_io_end_read(ssize_t done) {
    if (done >= 0)
        aa_count_io(1, (uint64_t)done, 0);
    aa_io_end();
}

void aa_io_end_write(ssize_t done) {
    if (done >= 0)
        aa_count_io(1, 0, (uint64_t)done);
    aa_io_end();
}
