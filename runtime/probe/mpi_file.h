/*
 * MPI-IO: its time counts as file I/O; so do its calls and bytes if the file is a regular one. The MPI
 * library's own use of descriptors is not counted again.
 */
#ifndef AA_MPI_FILE_H
#define AA_MPI_FILE_H

#include "mpi_library.h"

/* A call on an open file has finished its work: adds the number of transfers, and the bytes. */
void aa_file_count(MPI_File file, uint64_t calls, uint64_t read, uint64_t written);

/* A transfer has begun that a request completes; its status will show the bytes. */
enum aa_file_transfer { AA_FILE_READ, AA_FILE_WRITTEN };

void aa_file_begun(MPI_File file, MPI_Request request, enum aa_file_transfer transfer);

/*
 * For the critical path: a collective on the file is about to begin, in which all processes wait for each
 * other, or for those of lower rank; this waiting is not file I/O. Likewise for a non-blocking collective,
 * which returns the value to pass on; and for a split collective, which has ended.
 */
void aa_file_everyone(struct aa_mpi_call call, MPI_File file);
void aa_file_from_lower(struct aa_mpi_call call, MPI_File file);
void *aa_file_begin_everyone(MPI_File file);
void *aa_file_begin_from_lower(MPI_File file);
void aa_file_begun_by_all(MPI_File file, MPI_Request request, enum aa_file_transfer transfer, void *beside);
void aa_file_split(MPI_File file, void *beside);
void aa_file_split_ends(MPI_File file);

#endif
