/* Libraries whose MPI calls bypass this library's wrappers. */
#ifndef AA_MPI_PAST_H
#define AA_MPI_PAST_H

#include <stdbool.h>

/*
 * Returns whether a loaded library calls the MPI library directly, because it was loaded with
 * RTLD_DEEPBIND.
 */
bool aa_mpi_is_called_past(void);

#endif
