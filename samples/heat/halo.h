/* The exchange of edge rows with the ranks above and below. */
#ifndef HALO_H
#define HALO_H

#include <mpi.h>

#include "field.h"

struct halo {
    int above, below; /* ranks, or MPI_PROC_NULL at the edge of the plate */
    MPI_Request pending[4];
};

/* Finds the neighbours of this rank in a plate that is cut into one band per rank, from top to bottom. */
struct halo halo_make(void);

/* Starts to send and receive edge rows. Until halo_finish, the edge rows must not be written, nor the halo
   rows be read. */
void halo_start(struct halo *halo, const struct field *field);

void halo_finish(struct halo *halo);

#endif
