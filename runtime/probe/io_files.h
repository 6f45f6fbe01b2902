/*
 * Decides whether I/O on a file descriptor counts. It counts if the file is a regular file outside /proc,
 * /sys and shared memory, the thread has a call-path tree, and the call is not inside an MPI call. None of
 * these functions changes errno. The first use of a descriptor appends the file to the shard, under its lock;
 * nothing else allocates or locks.
 */
#ifndef AA_IO_FILES_H
#define AA_IO_FILES_H

#include "io_libc.h"
#include "probe.h"
#include "self.h"

/*
 * Returns whether this thread is recorded and not in a library call. Call this first, because it costs only a
 * few loads.
 */
static inline bool aa_io_listens(void) {
    return aa_thread_self != NULL && aa_thread_self->call.depth == aa_thread_self->call.statements;
}

enum aa_io_kind { AA_IO_UNKNOWN, AA_IO_OTHER, AA_IO_REGULAR };

/* Returns the kind of the file with this path; AA_IO_UNKNOWN if there is none. */
enum aa_io_kind aa_io_kind_of_path(const char *path);

/* Returns the number of the file record of a descriptor (file_use.h); 0 if it has none. */
uint16_t aa_io_file(int fd);

/*
 * Returns whether a descriptor is a regular file outside /proc, /sys and shared memory. The result is
 * cached.
 */
bool aa_io_is_file(int fd);

/* Drops the cached data about the descriptors from first to last, which may be reused for other files. */
void aa_io_forget(int first, int last);

/*
 * Begins a call on a descriptor; returns whether it counts. If it does, one of the following functions must
 * end it, with the result of the read or write.
 */
static inline bool aa_io_begin(int fd) {
    return aa_io_listens() && aa_io_is_file(fd) && aa_share_begin(AA_IO);
}

void aa_io_end_read(int fd, ssize_t done);
void aa_io_end_write(int fd, ssize_t done);

/*
 * Ends a call whose bytes are counted elsewhere, or that transferred none; returns the time of the call in
 * ticks.
 */
uint64_t aa_io_end(void);

/* Ends a call like aa_io_end, and adds its time to the file record with this number. */
void aa_io_end_timed(uint16_t file);

#endif
