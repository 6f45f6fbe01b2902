/* The position of the process in MPI's topologies: coordinates in grids, and places in graphs. */
#ifndef AA_MPI_TOPOLOGY_H
#define AA_MPI_TOPOLOGY_H

#include <mpi.h>

/*
 * Records the position in a new communicator with a topology; does nothing if it is MPI_COMM_NULL, because
 * the process has no place in the topology.
 */
void aa_topology_made(MPI_Comm comm);

#endif
