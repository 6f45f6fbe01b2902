/*
 * The C library's own functions behind the wrappers.
 *
 * They are looked up once, when this library is loaded, because signal handlers may call write but must not
 * call dlsym. If the constructor of another library does I/O earlier, its first call looks them up.
 */
#ifndef AA_IO_LIBC_H
#define AA_IO_LIBC_H

#ifndef _GNU_SOURCE
#error "include after #define _GNU_SOURCE"
#endif

#include <features.h>
#undef __USE_EXTERN_INLINES /* otherwise <stdio.h> would define some of the functions defined here */

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * The functions that programs call instead if they were built with _FORTIFY_SOURCE, or with the headers of
 * another C standard.
 */
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t room);
size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *stream);
size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t count, FILE *stream);
char *__fgets_chk(char *line, size_t room, int size, FILE *stream);
char *__fgets_unlocked_chk(char *line, size_t room, int size, FILE *stream);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments);
int __printf_chk(int flag, const char *format, ...);
int __vprintf_chk(int flag, const char *format, va_list arguments);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
int __isoc99_vfscanf(FILE *stream, const char *format, va_list arguments);
int __isoc23_vfscanf(FILE *stream, const char *format, va_list arguments);
int _IO_putc(int character, FILE *stream);
int _IO_getc(FILE *stream);
void closefrom(int first);
int close_range(unsigned first, unsigned last, int flags);

/* not defined for older versions without this function, because programs may test whether it exists */
#if __GLIBC_PREREQ(2, 38)
#define AA_LIBC_NEWER(function) function(__isoc23_vfscanf)
#else
#define AA_LIBC_NEWER(function)
#endif

#define AA_LIBC_FUNCTIONS(function)                                                                          \
    function(read) function(pread) function(pread64) function(readv) function(preadv) function(preadv64)     \
        function(preadv2) function(preadv64v2) function(__read_chk) function(__pread_chk) function(          \
            __pread64_chk) function(write) function(pwrite) function(pwrite64) function(writev)              \
            function(pwritev) function(pwritev64) function(pwritev2) function(pwritev64v2) function(         \
                sendfile) function(sendfile64) function(copy_file_range) function(fsync) function(fdatasync) \
                function(close) function(dup2) function(dup3) function(closefrom) function(close_range)      \
                    function(fclose) function(pclose) function(freopen) function(freopen64) function(fflush) \
                        function(fflush_unlocked) function(fseek) function(fseeko) function(fseeko64)        \
                            function(fwrite) function(fwrite_unlocked) function(fputc) function(             \
                                putc) function(_IO_putc) function(fputc_unlocked) function(putc_unlocked)    \
                                function(putchar) function(putchar_unlocked) function(putw) function(puts)   \
                                    function(fputs) function(fputs_unlocked) function(vfprintf) function(    \
                                        __vfprintf_chk) function(vdprintf) function(__vdprintf_chk)          \
                                        function(fread) function(fread_unlocked) function(__fread_chk)       \
                                            function(__fread_unlocked_chk) function(fgetc) function(getc)    \
                                                function(_IO_getc) function(fgetc_unlocked)                  \
                                                    function(getc_unlocked) function(getchar) function(      \
                                                        getchar_unlocked) function(getw) function(fgets)     \
                                                        function(fgets_unlocked) function(__fgets_chk)       \
                                                            function(__fgets_unlocked_chk)                   \
                                                                function(getdelim) function(__getdelim)      \
                                                                    function(getline) function(vfscanf)      \
                                                                        function(__isoc99_vfscanf)           \
                                                                            AA_LIBC_NEWER(function)

#define AA_LIBC_POINTER(name) __typeof__(name) *name;

struct aa_libc {
    AA_LIBC_FUNCTIONS(AA_LIBC_POINTER)
    bool bound;
};

extern struct aa_libc aa_libc_functions;

/* Looks up the functions; only for aa_libc. */
void aa_libc_bind(void);

/* Returns the C library's own functions. */
static inline const struct aa_libc *aa_libc(void) {
    if (__builtin_expect(!aa_libc_functions.bound, false))
        aa_libc_bind();
    return &aa_libc_functions;
}

#endif
