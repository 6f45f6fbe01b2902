/* MPI that is used without passing this library's wrappers. */
#ifndef AA_BYPASS_H
#define AA_BYPASS_H

#include <stdbool.h>

/* Whether an MPI library that the process has loaded was ever initialised. */
bool aa_mpi_was_initialised(void);

#endif
