/* Libraries whose MPI calls bypass this library's wrappers. */
#ifndef AA_MPI_PAST_H
#define AA_MPI_PAST_H

#include <stdbool.h>

/* Whether calls of a library are bound directly to the MPI library, as RTLD_DEEPBIND does. */
bool aa_mpi_is_called_past(void);

#endif
