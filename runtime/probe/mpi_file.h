/*
 * MPI-IO. Its time counts as file I/O. For regular files, its calls and bytes count, too. The MPI library's
 * own calls on file descriptors are not counted again.
 */
#ifndef AA_MPI_FILE_H
#define AA_MPI_FILE_H

#include "mpi_library.h"

/*
 * Counts a completed call on an open file: its transfers, and their bytes. Adds the time up to now to the
 * file's record.
 */
void aa_file_count(MPI_File file, uint64_t calls, uint64_t read, uint64_t written);

/* Counts a transfer that has begun; its bytes are counted from the status when the request completes. */
enum aa_file_transfer { AA_FILE_READ, AA_FILE_WRITTEN };

void aa_file_begun(MPI_File file, MPI_Request request, enum aa_file_transfer transfer);

/*
 * For the critical path: called before a collective on the file, in which all processes wait for each other,
 * or for the processes of lower rank. This waiting counts as MPI time, not as file I/O.
 */
void aa_file_everyone(struct aa_mpi_call call, MPI_File file);
void aa_file_from_lower(struct aa_mpi_call call, MPI_File file);
/*
 * Called before a non-blocking or split collective on the file, in which processes also wait. Return our own
 * collective, which must be passed on as `beside`; null if there is none.
 */
void *aa_file_begin_everyone(MPI_File file);
void *aa_file_begin_from_lower(MPI_File file);
/* Counts a transfer by a non-blocking collective, as aa_file_begun does. */
void aa_file_begun_by_all(MPI_File file, MPI_Request request, enum aa_file_transfer transfer, void *beside);
/* Called when a split collective has begun, and when it has ended. */
void aa_file_split(MPI_File file, void *beside);
void aa_file_split_ends(MPI_File file);

#endif
