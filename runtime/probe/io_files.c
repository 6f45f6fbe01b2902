#define _GNU_SOURCE
#include "io_files.h"
#include "file_use.h"
#include "fork.h"
#include "memory.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* the kinds of descriptors below this number are cached */
#define REMEMBERED 4096

/* the kind of each descriptor; for a regular file, the number of its record is added */
static _Atomic uint16_t kinds[REMEMBERED];

/*
 * Returns whether a device is /dev/shm, where MPI libraries communicate through files. Other tmpfs file
 * systems, such as /tmp, may contain the program's files.
 */
static bool is_shared_memory(dev_t device) {
    static _Atomic dev_t shared_memory;
    struct stat status;
    if (shared_memory == 0)
        shared_memory = stat("/dev/shm", &status) == 0 ? status.st_dev : (dev_t)-1;
    return device == shared_memory;
}

/* Returns the kind of a file, given its status and its file system, either of which may be unknown. */
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

/*
 * Returns the number of an open file's record. The file's name is read from /proc, because many different
 * functions open files.
 */
static uint16_t number_of(int fd) {
    char link[32], *name = aa_memory_map(PATH_MAX); /* zeroed */
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    bool known = name && readlink(link, name, PATH_MAX - 1) > 0;
    uint16_t number = known ? aa_file_number(name) : 0;
    if (name)
        aa_memory_unmap(name, PATH_MAX);
    return number;
}

static enum aa_io_kind look_and_remember(int fd) {
    int error = errno;
    enum aa_io_kind kind = look_at(fd);
    /* not cached if this thread cannot append the file now */
    if (fd < REMEMBERED && (kind == AA_IO_OTHER || !aa_thread_closed))
        kinds[fd] = (uint16_t)(kind == AA_IO_REGULAR ? kind + number_of(fd) : kind);
    errno = error;
    return kind;
}

bool aa_io_is_file(int fd) {
    if (fd < 0)
        return false;
    uint16_t kind = fd < REMEMBERED ? kinds[fd] : AA_IO_UNKNOWN;
    if (__builtin_expect(kind == AA_IO_UNKNOWN, false))
        kind = (uint16_t)look_and_remember(fd);
    return kind >= AA_IO_REGULAR;
}

uint16_t aa_io_file(int fd) {
    uint16_t kind = fd >= 0 && fd < REMEMBERED ? kinds[fd] : AA_IO_UNKNOWN;
    return kind > AA_IO_REGULAR ? (uint16_t)(kind - AA_IO_REGULAR) : 0;
}

void aa_io_forget(int first, int last) {
    for (int fd = first < 0 ? 0 : first; fd <= last && fd < REMEMBERED; fd++)
        kinds[fd] = AA_IO_UNKNOWN;
}

/* The beginning of this call was the thread's last event, because nested calls are not events. */
uint64_t aa_io_end(void) {
    int error = errno;
    const struct aa_thread *thread = aa_thread_self;
    uint64_t began = thread != NULL ? thread->last : 0;
    aa_share_end(true);
    errno = error;
    return thread != NULL ? thread->last - began : 0;
}

void aa_io_end_timed(uint16_t file) {
    aa_file_add(file, 0, 0, 0, aa_io_end());
}

void aa_io_end_read(int fd, ssize_t done) {
    uint64_t read = done >= 0 ? (uint64_t)done : 0, calls = done >= 0;
    if (calls)
        aa_count_io(1, read, 0);
    aa_file_add(aa_io_file(fd), calls, read, 0, aa_io_end());
}

void aa_io_end_write(int fd, ssize_t done) {
    uint64_t written = done >= 0 ? (uint64_t)done : 0, calls = done >= 0;
    if (calls)
        aa_count_io(1, 0, written);
    aa_file_add(aa_io_file(fd), calls, 0, written, aa_io_end());
}

/* The child of a fork has its own shard, in which the cached numbers are not valid. */
static void forget_in_child(void) {
    aa_file_forget();
    aa_io_forget(0, REMEMBERED);
}

__attribute__((constructor)) static void watch_forks(void) {
    aa_fork_watch(NULL, forget_in_child);
}
