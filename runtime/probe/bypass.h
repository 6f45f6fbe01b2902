/* MPI calls that bypass this library's wrappers. */
#ifndef AA_BYPASS_H
#define AA_BYPASS_H

#include <stdbool.h>

enum aa_mpi_bypass {
    /* no call went through the wrappers, although MPI was initialised */
    AA_MPI_ALL_PAST = 1,
    AA_MPI_SOME_PAST /* a library loaded with RTLD_DEEPBIND calls MPI directly; see mpi_past.h */
};

/* Returns whether any MPI library that the process has loaded was ever initialised. */
bool aa_mpi_was_initialised(void);

#endif
