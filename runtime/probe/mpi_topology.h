/* The process's coordinates in MPI's grids, and its places in graphs. */
#ifndef AA_MPI_TOPOLOGY_H
#define AA_MPI_TOPOLOGY_H

#include <mpi.h>

/* A communicator with a topology was made; MPI_COMM_NULL if the process has no place in it. */
void aa_topology_made(MPI_Comm comm);

#endif
