/* The exchange of edge rows with the ranks above and below. */
#ifndef HALO_H
#define HALO_H

#include <mpi.h>

#include "field.h"

struct halo {
    int above, below; /* ranks, or MPI_PROC_NULL at the edge of the plate */
    MPI_Request pending[4];
};

/* The neighbours of this rank in a plate that is cut into one band a rank, from top to bottom. */
struct halo halo_make(void);

/* Sends the edge rows on their way; until halo_finish, they must not be written, nor the halo rows be read.
 */
void halo_start(struct halo *halo, const struct field *field);

void halo_finish(struct halo *halo);

#endif
