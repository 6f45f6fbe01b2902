/* Wrappers for formatted I/O: all functions of the printf and scanf families. */
#define _GNU_SOURCE
#include "io_stream.h"

AA_EXPORT int vfprintf(FILE *stream, const char *format, va_list arguments) {
    struct aa_stream_call call = aa_stream_write(stream, AA_IO_LINE);
    int done = aa_libc()->vfprintf(stream, format, arguments);
    aa_stream_end(call, 0, done);
    return done;
}

AA_EXPORT int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments) {
    struct aa_stream_call call = aa_stream_write(stream, AA_IO_LINE);
    int done = aa_libc()->__vfprintf_chk(stream, flag, format, arguments);
    aa_stream_end(call, 0, done);
    return done;
}

AA_EXPORT int vdprintf(int fd, const char *format, va_list arguments) {
    bool counts = aa_io_begin(fd);
    int done = aa_libc()->vdprintf(fd, format, arguments);
    if (counts)
        aa_io_end_write(fd, done);
    return done;
}

AA_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments) {
    bool counts = aa_io_begin(fd);
    int done = aa_libc()->__vdprintf_chk(fd, flag, format, arguments);
    if (counts)
        aa_io_end_write(fd, done);
    return done;
}

AA_EXPORT int vprintf(const char *format, va_list arguments) {
    return vfprintf(stdout, format, arguments);
}

AA_EXPORT int __vprintf_chk(int flag, const char *format, va_list arguments) {
    return __vfprintf_chk(stdout, flag, format, arguments);
}

/* Wraps a variadic function by calling its counterpart that takes a va_list. */
#define VARIADIC(function, parameters, call)                                                                 \
    AA_EXPORT int function parameters {                                                                      \
        va_list arguments;                                                                                   \
        va_start(arguments, format);                                                                         \
        int done = call;                                                                                     \
        va_end(arguments);                                                                                   \
        return done;                                                                                         \
    }

VARIADIC(fprintf, (FILE * stream, const char *format, ...), vfprintf(stream, format, arguments))
VARIADIC(printf, (const char *format, ...), vfprintf(stdout, format, arguments))
VARIADIC(dprintf, (int fd, const char *format, ...), vdprintf(fd, format, arguments))
VARIADIC(__fprintf_chk, (FILE * stream, int flag, const char *format, ...),
         __vfprintf_chk(stream, flag, format, arguments))
VARIADIC(__printf_chk, (int flag, const char *format, ...), __vfprintf_chk(stdout, flag, format, arguments))
VARIADIC(__dprintf_chk, (int fd, int flag, const char *format, ...),
         __vdprintf_chk(fd, flag, format, arguments))

/*
 * The change of the stream's position shows how many bytes scanf reads. Streams without a position are not
 * files.
 */
typedef int scan_function(FILE *stream, const char *format, va_list arguments);

static int scan(scan_function *function, FILE *stream, const char *format, va_list arguments) {
    struct aa_stream_call call = aa_stream_read(stream, AA_IO_LINE);
    long long before = call.counts ? ftello(stream) : 0;
    int done = function(stream, format, arguments);
    if (call.counts)
        aa_stream_end(call, ftello(stream) - before, 0);
    return done;
}

/*
 * Depending on the C standard, the headers map these four functions to different symbols. The symbols are
 * named here, so that all of them are defined.
 */
#define SCAN_FAMILY(prefix)                                                                                  \
    AA_EXPORT int aa_##prefix##vfscanf(FILE *, const char *, va_list) __asm__(#prefix "vfscanf");            \
    AA_EXPORT int aa_##prefix##vscanf(const char *, va_list) __asm__(#prefix "vscanf");                      \
    AA_EXPORT int aa_##prefix##fscanf(FILE *, const char *, ...) __asm__(#prefix "fscanf");                  \
    AA_EXPORT int aa_##prefix##scanf(const char *, ...) __asm__(#prefix "scanf");                            \
    AA_EXPORT int aa_##prefix##vfscanf(FILE *stream, const char *format, va_list arguments) {                \
        return scan(aa_libc()->prefix##vfscanf, stream, format, arguments);                                  \
    }                                                                                                        \
    AA_EXPORT int aa_##prefix##vscanf(const char *format, va_list arguments) {                               \
        return scan(aa_libc()->prefix##vfscanf, stdin, format, arguments);                                   \
    }                                                                                                        \
    VARIADIC(aa_##prefix##fscanf, (FILE * stream, const char *format, ...),                                  \
             scan(aa_libc()->prefix##vfscanf, stream, format, arguments))                                    \
    VARIADIC(aa_##prefix##scanf, (const char *format, ...),                                                  \
             scan(aa_libc()->prefix##vfscanf, stdin, format, arguments))

SCAN_FAMILY()
SCAN_FAMILY(__isoc99_)
#if __GLIBC_PREREQ(2, 38)
SCAN_FAMILY(__isoc23_)
#endif
