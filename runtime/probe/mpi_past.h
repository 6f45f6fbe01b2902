/* Libraries whose calls of MPI bypass this library's wrappers. */
#ifndef AA_MPI_PAST_H
#define AA_MPI_PAST_H

#include <stdbool.h>

/* Whether functions that a library calls are bound to the MPI library itself, as RTLD_DEEPBIND has it. */
bool aa_mpi_is_called_past(void);

#endif
