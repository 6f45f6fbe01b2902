/*
 * Calls on stdio streams: bytes count here, where the program hands them over, and not again when the C
 * library moves its buffer to the file, which no wrapper sees. Time is taken only where the buffer is likely
 * to be moved, so that a putc stays cheap.
 */
#ifndef AA_IO_STREAM_H
#define AA_IO_STREAM_H

#include "io_files.h"

/* The usual maximum of a call of unknown length: a line, some numbers. */
#define AA_IO_LINE 512

struct aa_stream_call {
    bool counts;
    bool timed;
    uint16_t file; /* its number among those recorded */
};

#ifdef __GLIBC__
/* fileno would set errno for streams without a descriptor. */
static inline int aa_stream_fd(FILE *stream) {
    return stream->_fileno;
}

/* The room for output is zero as long as there is no buffer, and in streams that flush at every line. */
static inline bool aa_stream_would_write(FILE *stream, size_t size) {
    return stream->_IO_write_end - stream->_IO_write_ptr < (ptrdiff_t)size;
}

static inline bool aa_stream_would_read(FILE *stream, size_t size) {
    return stream->_IO_read_end - stream->_IO_read_ptr < (ptrdiff_t)size;
}
#else
#include <errno.h>

static inline int aa_stream_fd(FILE *stream) {
    int error = errno, fd = fileno_unlocked(stream);
    errno = error;
    return fd;
}

static inline bool aa_stream_would_write(FILE *stream, size_t size) {
    (void)stream, (void)size;
    return true;
}

static inline bool aa_stream_would_read(FILE *stream, size_t size) {
    (void)stream, (void)size;
    return true;
}
#endif

static inline struct aa_stream_call aa_stream_begin(FILE *stream, bool timed) {
    int fd = aa_stream_fd(stream);
    struct aa_stream_call call = {.counts = aa_io_is_file(fd), .timed = timed, .file = aa_io_file(fd)};
    if (call.counts && call.timed)
        aa_share_begin(AA_IO);
    return call;
}

static inline struct aa_stream_call aa_stream_write(FILE *stream, size_t size) {
    if (!aa_io_listens())
        return (struct aa_stream_call){.counts = false};
    return aa_stream_begin(stream, aa_stream_would_write(stream, size));
}

static inline struct aa_stream_call aa_stream_read(FILE *stream, size_t size) {
    if (!aa_io_listens())
        return (struct aa_stream_call){.counts = false};
    return aa_stream_begin(stream, aa_stream_would_read(stream, size));
}

/* The end of a call that moved so many bytes; a negative number is a failure. */
void aa_stream_end(struct aa_stream_call call, long long read, long long written);

#endif
