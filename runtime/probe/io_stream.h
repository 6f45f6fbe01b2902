/*
 * Calls on stdio streams. Bytes are counted when the program passes them, because no wrapper notices when the
 * C library flushes its buffer. Time is measured only if a flush is likely, so that putc stays cheap.
 */
#ifndef AA_IO_STREAM_H
#define AA_IO_STREAM_H

#include "io_files.h"

/* the assumed maximum length of a call whose length is unknown: a line, or a few numbers */
#define AA_IO_LINE 512

struct aa_stream_call {
    bool counts;
    bool timed;
    uint16_t file; /* the number of the file's record; see file_use.h */
};

#ifdef __GLIBC__
/* Returns a stream's descriptor. Does not call fileno, which sets errno for streams without a descriptor. */
static inline int aa_stream_fd(FILE *stream) {
    return stream->_fileno;
}

/*
 * Return whether a call with this many bytes is likely to write or read the file, because the buffer has too
 * little space or too few bytes. Streams without a buffer, and line-buffered streams, never have space.
 */
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

/* Begins a call on a stream. timed: its time counts as file I/O. */
static inline struct aa_stream_call aa_stream_begin(FILE *stream, bool timed) {
    int fd = aa_stream_fd(stream);
    struct aa_stream_call call = {.counts = aa_io_is_file(fd), .timed = timed, .file = aa_io_file(fd)};
    if (call.counts && call.timed)
        aa_share_begin(AA_IO);
    return call;
}

/* Begin a call that writes or reads about this many bytes. */
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

/* Ends a call that read and wrote this many bytes; a negative number means that the call failed. */
void aa_stream_end(struct aa_stream_call call, long long read, long long written);

#endif
