/* Wrappers for calls that use file descriptors. */
#define _GNU_SOURCE
#include "io_files.h"
#include "file_use.h"

#include <limits.h>

#define TRANSFER(function, parameters, arguments, end)                                                       \
    AA_EXPORT ssize_t function parameters {                                                                  \
        bool counts = aa_io_begin(fd);                                                                       \
        ssize_t done = aa_libc()->function arguments;                                                        \
        if (counts)                                                                                          \
            end(fd, done);                                                                                   \
        return done;                                                                                         \
    }

#define READ(function, parameters, arguments) TRANSFER(function, parameters, arguments, aa_io_end_read)
#define WRITE(function, parameters, arguments) TRANSFER(function, parameters, arguments, aa_io_end_write)

READ(read, (int fd, void *data, size_t size), (fd, data, size))
READ(pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
READ(pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at))
READ(__read_chk, (int fd, void *data, size_t size, size_t room), (fd, data, size, room))
READ(__pread_chk, (int fd, void *data, size_t size, off_t at, size_t room), (fd, data, size, at, room))
READ(__pread64_chk, (int fd, void *data, size_t size, off64_t at, size_t room), (fd, data, size, at, room))
READ(readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
READ(preadv, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
READ(preadv64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
READ(preadv2, (int fd, const struct iovec *parts, int count, off_t at, int flags),
     (fd, parts, count, at, flags))
READ(preadv64v2, (int fd, const struct iovec *parts, int count, off64_t at, int flags),
     (fd, parts, count, at, flags))

WRITE(write, (int fd, const void *data, size_t size), (fd, data, size))
WRITE(pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
WRITE(writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRITE(pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
WRITE(pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
WRITE(pwritev2, (int fd, const struct iovec *parts, int count, off_t at, int flags),
      (fd, parts, count, at, flags))
WRITE(pwritev64v2, (int fd, const struct iovec *parts, int count, off64_t at, int flags),
      (fd, parts, count, at, flags))

/*
 * A copy between two descriptors inside the kernel. It counts as reading if the source is a file, and as
 * writing if the target is a file.
 */
struct copy {
    int from, to;
    bool reads, writes, counts;
};

static struct copy copy_begin(int from, int to) {
    struct copy copy = {.from = from, .to = to, .counts = false};
    if (!aa_io_listens())
        return copy;
    copy.reads = aa_io_is_file(from);
    copy.writes = aa_io_is_file(to);
    copy.counts = (copy.reads || copy.writes) && aa_share_begin(AA_IO);
    return copy;
}

static ssize_t copy_end(struct copy copy, ssize_t done) {
    uint64_t moved = done >= 0 ? (uint64_t)done : 0, calls = done >= 0;
    if (!copy.counts)
        return done;
    if (calls)
        aa_count_io(1, copy.reads ? moved : 0, copy.writes ? moved : 0);
    uint64_t ticks = aa_io_end();
    if (copy.reads)
        aa_file_add(aa_io_file(copy.from), calls, moved, 0, copy.writes ? 0 : ticks);
    if (copy.writes)
        aa_file_add(aa_io_file(copy.to), calls, 0, moved, ticks);
    return done;
}

AA_EXPORT ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
    struct copy copy = copy_begin(from, to);
    return copy_end(copy, aa_libc()->sendfile(to, from, offset, count));
}

AA_EXPORT ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
    struct copy copy = copy_begin(from, to);
    return copy_end(copy, aa_libc()->sendfile64(to, from, offset, count));
}

AA_EXPORT ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count,
                                  unsigned flags) {
    struct copy copy = copy_begin(from, to);
    return copy_end(copy, aa_libc()->copy_file_range(from, from_offset, to, to_offset, count, flags));
}

#define TIMED(function)                                                                                      \
    AA_EXPORT int function(int fd) {                                                                         \
        bool counts = aa_io_begin(fd);                                                                       \
        int result = aa_libc()->function(fd);                                                                \
        if (counts)                                                                                          \
            aa_io_end_timed(aa_io_file(fd));                                                                 \
        return result;                                                                                       \
    }

TIMED(fsync)
TIMED(fdatasync)

AA_EXPORT int close(int fd) {
    bool counts = aa_io_begin(fd);
    uint16_t file = aa_io_file(fd);
    aa_io_forget(fd, fd);
    int result = aa_libc()->close(fd);
    if (counts)
        aa_io_end_timed(file);
    return result;
}

AA_EXPORT int close_range(unsigned first, unsigned last, int flags) {
    aa_io_forget(first > INT_MAX ? INT_MAX : (int)first, last > INT_MAX ? INT_MAX : (int)last);
    return aa_libc()->close_range(first, last, flags);
}

AA_EXPORT void closefrom(int first) {
    aa_io_forget(first, INT_MAX);
    aa_libc()->closefrom(first);
}

AA_EXPORT int dup2(int from, int to) {
    int result = aa_libc()->dup2(from, to);
    aa_io_forget(to, to);
    return result;
}

AA_EXPORT int dup3(int from, int to, int flags) {
    int result = aa_libc()->dup3(from, to, flags);
    aa_io_forget(to, to);
    return result;
}
