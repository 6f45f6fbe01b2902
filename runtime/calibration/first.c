#include "first.h"

#include <stdlib.h>

/* Keep the variables equal to _VARIABLES in runtime/mpi/own_job.py. */
bool aa_is_first(void) {
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank && atoi(rank) > 0)
            return false;
    }
    return true;
}
