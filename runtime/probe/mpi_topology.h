/* The process's coordinates in MPI's grids, and its places among the nodes of graphs. */
#ifndef AA_MPI_TOPOLOGY_H
#define AA_MPI_TOPOLOGY_H

#include <mpi.h>

/* A communicator with a topology has been made, or MPI_COMM_NULL: the process has no place in it. */
void aa_topology_made(MPI_Comm comm);

#endif
