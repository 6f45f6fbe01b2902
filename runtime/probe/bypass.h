/* MPI that is used without passing this library's wrappers. */
#ifndef AA_BYPASS_H
#define AA_BYPASS_H

#include <stdbool.h>

enum aa_mpi_bypass {
    AA_MPI_ALL_PAST = 1, /* MPI was initialised, and no call of MPI_Init seen */
    AA_MPI_SOME_PAST     /* a library's calls, which was loaded with RTLD_DEEPBIND; see mpi_past.h */
};

/* Whether an MPI library that the process has loaded was ever initialised. */
bool aa_mpi_was_initialised(void);

#endif
