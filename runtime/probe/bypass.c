#define _GNU_SOURCE
#include "bypass.h"
#include "symbol.h"

#include <dlfcn.h>
#include <stddef.h>

/* Calls MPI_Initialized, which is allowed at any time and has the same type in every MPI library. */
bool aa_mpi_was_initialised(void) {
    int flag = 0;
    int (*initialized)(int *) = (int (*)(int *))aa_symbol_find(RTLD_DEFAULT, "PMPI_Initialized", NULL);
    return initialized != NULL && initialized(&flag) == 0 && flag != 0;
}
