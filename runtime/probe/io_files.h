/*
 * Which file descriptors and streams count: regular files on a disk, used outside MPI calls by threads
 * with a call-path tree. Nothing here changes errno. The first use of a descriptor appends the file to the
 * shard, under its lock; nothing else allocates or locks.
 */
#ifndef AA_IO_FILES_H
#define AA_IO_FILES_H

#include "io_libc.h"
#include "probe.h"
#include "self.h"

/* Whether this thread is recorded and in no library call; tested first, because it costs only a few loads. */
static inline bool aa_io_listens(void) {
    return aa_thread_self != NULL && aa_thread_self->call.depth == aa_thread_self->call.statements;
}

enum aa_io_kind { AA_IO_UNKNOWN, AA_IO_OTHER, AA_IO_REGULAR };

/* Returns AA_IO_UNKNOWN if there is no such file. */
enum aa_io_kind aa_io_kind_of_path(const char *path);

/* Returns the number of a descriptor's file record (file_use.h); 0 if it has none. */
uint16_t aa_io_file(int fd);

/* Whether the descriptor is a regular file, not in /proc, /sys or shared memory; the result is cached. */
bool aa_io_is_file(int fd);

/* Descriptors from first to last may become other files. */
void aa_io_forget(int first, int last);

/* Begins a call on a descriptor. If it returns true, one of the ends must follow, with the call's result. */
static inline bool aa_io_begin(int fd) {
    return aa_io_listens() && aa_io_is_file(fd) && aa_share_begin(AA_IO);
}

void aa_io_end_read(int fd, ssize_t done);
void aa_io_end_write(int fd, ssize_t done);

/*
 * Ends a call that moved none of the program's bytes, or whose bytes are counted already; returns its
 * ticks.
 */
uint64_t aa_io_end(void);

/* Ends a call on a file that moved no bytes. */
void aa_io_end_timed(uint16_t file);

#endif
