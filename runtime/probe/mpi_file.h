/*
 * MPI-IO: calls, bytes and time are those of file I/O, if the file is a regular one. What the MPI library
 * does with descriptors meanwhile does not count again.
 */
#ifndef AA_MPI_FILE_H
#define AA_MPI_FILE_H

#include "mpi_library.h"

/* A call on an open file, now over but for its end: how many transfers it was, and what it moved. */
void aa_file_count(MPI_File file, uint64_t calls, uint64_t read, uint64_t written);

/* A transfer has begun that a request completes; its status tells what it moved. */
enum aa_file_transfer { AA_FILE_READ, AA_FILE_WRITTEN };

void aa_file_begun(MPI_File file, MPI_Request request, enum aa_file_transfer transfer);

#endif
