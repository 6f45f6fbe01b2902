/* Wrappers for unformatted I/O on stdio streams. */
#define _GNU_SOURCE
#include "io_stream.h"
#include "file_use.h"

#include <limits.h>
#include <string.h>

void aa_stream_end(struct aa_stream_call call, long long read, long long written) {
    if (!call.counts)
        return;
    bool moved = read >= 0 && written >= 0;
    if (moved)
        aa_count_io(1, (uint64_t)read, (uint64_t)written);
    uint64_t ticks = call.timed ? aa_io_end() : 0;
    aa_file_add(call.file, moved, moved ? (uint64_t)read : 0, moved ? (uint64_t)written : 0, ticks);
}

/*
 * Wrap functions that read or write blocks. Their results do not include partially transferred items, so the
 * bytes of such items are not counted.
 */
#define WRITE_BLOCK(function)                                                                                \
    AA_EXPORT size_t function(const void *data, size_t size, size_t count, FILE *stream) {                   \
        struct aa_stream_call call = aa_stream_write(stream, size * count);                                  \
        size_t done = aa_libc()->function(data, size, count, stream);                                        \
        aa_stream_end(call, 0, (long long)(done * size));                                                    \
        return done;                                                                                         \
    }

#define READ_BLOCK(function, parameters, arguments)                                                          \
    AA_EXPORT size_t function parameters {                                                                   \
        struct aa_stream_call call = aa_stream_read(stream, size * count);                                   \
        size_t done = aa_libc()->function arguments;                                                         \
        aa_stream_end(call, (long long)(done * size), 0);                                                    \
        return done;                                                                                         \
    }

WRITE_BLOCK(fwrite)
WRITE_BLOCK(fwrite_unlocked)
READ_BLOCK(fread, (void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
READ_BLOCK(fread_unlocked, (void *data, size_t size, size_t count, FILE *stream), (data, size, count, stream))
READ_BLOCK(__fread_chk, (void *data, size_t room, size_t size, size_t count, FILE *stream),
           (data, room, size, count, stream))
READ_BLOCK(__fread_unlocked_chk, (void *data, size_t room, size_t size, size_t count, FILE *stream),
           (data, room, size, count, stream))

/* Wrap functions for single characters and words. */
#define WRITE_ONE(function, parameters, arguments, stream, size)                                             \
    AA_EXPORT int function parameters {                                                                      \
        struct aa_stream_call call = aa_stream_write(stream, size);                                          \
        int result = aa_libc()->function arguments;                                                          \
        aa_stream_end(call, 0, result == EOF ? -1 : (long long)(size));                                      \
        return result;                                                                                       \
    }

#define READ_ONE(function, parameters, arguments, stream, size)                                              \
    AA_EXPORT int function parameters {                                                                      \
        struct aa_stream_call call = aa_stream_read(stream, size);                                           \
        int result = aa_libc()->function arguments;                                                          \
        aa_stream_end(call, result == EOF ? -1 : (long long)(size), 0);                                      \
        return result;                                                                                       \
    }

WRITE_ONE(fputc, (int character, FILE *stream), (character, stream), stream, 1)
WRITE_ONE(putc, (int character, FILE *stream), (character, stream), stream, 1)
WRITE_ONE(_IO_putc, (int character, FILE *stream), (character, stream), stream, 1)
WRITE_ONE(fputc_unlocked, (int character, FILE *stream), (character, stream), stream, 1)
WRITE_ONE(putc_unlocked, (int character, FILE *stream), (character, stream), stream, 1)
WRITE_ONE(putchar, (int character), (character), stdout, 1)
WRITE_ONE(putchar_unlocked, (int character), (character), stdout, 1)

READ_ONE(fgetc, (FILE * stream), (stream), stream, 1)
READ_ONE(getc, (FILE * stream), (stream), stream, 1)
READ_ONE(_IO_getc, (FILE * stream), (stream), stream, 1)
READ_ONE(fgetc_unlocked, (FILE * stream), (stream), stream, 1)
READ_ONE(getc_unlocked, (FILE * stream), (stream), stream, 1)
READ_ONE(getchar, (void), (), stdin, 1)
READ_ONE(getchar_unlocked, (void), (), stdin, 1)

/* A word may equal EOF, so the stream's error flag decides. */
AA_EXPORT int putw(int word, FILE *stream) {
    struct aa_stream_call call = aa_stream_write(stream, sizeof word);
    int result = aa_libc()->putw(word, stream);
    aa_stream_end(call, 0, result == EOF ? -1 : (long long)sizeof word);
    return result;
}

AA_EXPORT int getw(FILE *stream) {
    struct aa_stream_call call = aa_stream_read(stream, sizeof(int));
    int word = aa_libc()->getw(stream);
    aa_stream_end(call, word == EOF && (feof(stream) || ferror(stream)) ? -1 : (long long)sizeof word, 0);
    return word;
}

/* Wrap functions for strings and lines. */
AA_EXPORT int puts(const char *text) {
    struct aa_stream_call call = aa_stream_write(stdout, AA_IO_LINE);
    int result = aa_libc()->puts(text);
    aa_stream_end(call, 0, !call.counts || result == EOF ? -1 : (long long)strlen(text) + 1);
    return result;
}

#define WRITE_TEXT(function)                                                                                 \
    AA_EXPORT int function(const char *text, FILE *stream) {                                                 \
        struct aa_stream_call call = aa_stream_write(stream, AA_IO_LINE);                                    \
        int result = aa_libc()->function(text, stream);                                                      \
        aa_stream_end(call, 0, !call.counts || result == EOF ? -1 : (long long)strlen(text));                \
        return result;                                                                                       \
    }

WRITE_TEXT(fputs)
WRITE_TEXT(fputs_unlocked)

#define READ_LINE(function, parameters, arguments)                                                           \
    AA_EXPORT char *function parameters {                                                                    \
        struct aa_stream_call call = aa_stream_read(stream, AA_IO_LINE);                                     \
        char *result = aa_libc()->function arguments;                                                        \
        aa_stream_end(call, !call.counts || result == NULL ? -1 : (long long)strlen(result), 0);             \
        return result;                                                                                       \
    }

READ_LINE(fgets, (char *line, int size, FILE *stream), (line, size, stream))
READ_LINE(fgets_unlocked, (char *line, int size, FILE *stream), (line, size, stream))
READ_LINE(__fgets_chk, (char *line, size_t room, int size, FILE *stream), (line, room, size, stream))
READ_LINE(__fgets_unlocked_chk, (char *line, size_t room, int size, FILE *stream), (line, room, size, stream))

#define READ_DELIMITED(function, parameters, arguments)                                                      \
    AA_EXPORT ssize_t function parameters {                                                                  \
        struct aa_stream_call call = aa_stream_read(stream, AA_IO_LINE);                                     \
        ssize_t done = aa_libc()->function arguments;                                                        \
        aa_stream_end(call, done, 0);                                                                        \
        return done;                                                                                         \
    }

READ_DELIMITED(getline, (char **line, size_t *room, FILE *stream), (line, room, stream))
READ_DELIMITED(getdelim, (char **line, size_t *room, int end, FILE *stream), (line, room, end, stream))
READ_DELIMITED(__getdelim, (char **line, size_t *room, int end, FILE *stream), (line, room, end, stream))

/*
 * Begins a call that flushes the buffer or changes the position in the file. It takes time, but transfers
 * none of the program's bytes.
 */
static struct aa_stream_call timed_begin(FILE *stream) {
    if (!aa_io_listens())
        return (struct aa_stream_call){.counts = false};
    if (stream != NULL)
        return aa_stream_begin(stream, true);
    return (struct aa_stream_call){.counts = aa_share_begin(AA_IO), .timed = true};
}

static int timed_end(struct aa_stream_call call, int result) {
    aa_stream_end(call, -1, -1);
    return result;
}

#define FLUSH(function)                                                                                      \
    AA_EXPORT int function(FILE *stream) {                                                                   \
        struct aa_stream_call call = timed_begin(stream);                                                    \
        return timed_end(call, aa_libc()->function(stream));                                                 \
    }

#define SEEK(function, offset_type)                                                                          \
    AA_EXPORT int function(FILE *stream, offset_type offset, int whence) {                                   \
        struct aa_stream_call call = timed_begin(stream);                                                    \
        return timed_end(call, aa_libc()->function(stream, offset, whence));                                 \
    }

FLUSH(fflush)
FLUSH(fflush_unlocked)
SEEK(fseek, long)
SEEK(fseeko, off_t)
SEEK(fseeko64, off64_t)

static void forget(FILE *stream) {
    int fd = aa_stream_fd(stream);
    aa_io_forget(fd, fd < 0 ? -1 : fd);
}

#define CLOSE(function)                                                                                      \
    AA_EXPORT int function(FILE *stream) {                                                                   \
        struct aa_stream_call call = timed_begin(stream);                                                    \
        forget(stream);                                                                                      \
        return timed_end(call, aa_libc()->function(stream));                                                 \
    }

CLOSE(fclose)
CLOSE(pclose)

#define REOPEN(function)                                                                                     \
    AA_EXPORT FILE *function(const char *path, const char *mode, FILE *stream) {                             \
        struct aa_stream_call call = timed_begin(stream);                                                    \
        forget(stream);                                                                                      \
        FILE *result = aa_libc()->function(path, mode, stream);                                              \
        aa_stream_end(call, -1, -1);                                                                         \
        return result;                                                                                       \
    }

REOPEN(freopen)
REOPEN(freopen64)
