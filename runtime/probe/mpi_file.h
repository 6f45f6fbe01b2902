/*
 * MPI-IO: its time is that of file I/O; its calls and bytes are, too, if the file is a regular one. The MPI
 * library's own use of descriptors meanwhile does not count again.
 */
#ifndef AA_MPI_FILE_H
#define AA_MPI_FILE_H

#include "mpi_library.h"

/* A call on an open file that is over except for its end: the number of transfers, and the bytes. */
void aa_file_count(MPI_File file, uint64_t calls, uint64_t read, uint64_t written);

/* A transfer has begun that a request completes; its status shows the bytes. */
enum aa_file_transfer { AA_FILE_READ, AA_FILE_WRITTEN };

void aa_file_begun(MPI_File file, MPI_Request request, enum aa_file_transfer transfer);

/*
 * The critical path: a collective on the file is about to begin, and all of its processes wait for each
 * other, or for those of lower rank, which is no file I/O. The same of one that goes on meanwhile, which
 * gives what is to be handed over; and of a split one, which has ended.
 */
void aa_file_everyone(struct aa_mpi_call call, MPI_File file);
void aa_file_from_lower(struct aa_mpi_call call, MPI_File file);
void *aa_file_begin_everyone(MPI_File file);
void *aa_file_begin_from_lower(MPI_File file);
void aa_file_begun_by_all(MPI_File file, MPI_Request request, enum aa_file_transfer transfer, void *beside);
void aa_file_split(MPI_File file, void *beside);
void aa_file_split_ends(MPI_File file);

#endif
