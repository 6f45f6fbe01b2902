#include "mpi_bytes.h"

/* Returns the number of neighbours in the program's arguments, including those beyond the edges of a grid. */
static int place_count(enum aa_neighbours side, int topology, MPI_Comm comm) {
    int sources = 0, targets = 0, weighted = 0;
    if (topology == MPI_CART) {
        aa_mpi.Cartdim_get(comm, &sources);
        return 2 * sources;
    }
    if (topology == MPI_GRAPH) {
        aa_mpi.Graph_neighbors_count(comm, aa_rank(comm), &sources);
        return sources;
    }
    aa_mpi.Dist_graph_neighbors_count(comm, &sources, &targets, &weighted);
    return side == AA_SOURCES ? sources : targets;
}

/*
 * Returns whether a neighbour exists. In a grid, neighbours are ordered by dimension, and in each dimension
 * the lower neighbour comes before the upper one.
 */
static bool exists(int place, int topology, MPI_Comm comm) {
    int lower = 0, upper = 0;
    if (topology != MPI_CART)
        return true;
    aa_mpi.Cart_shift(comm, place / 2, 1, &lower, &upper);
    return (place % 2 == 0 ? lower : upper) != MPI_PROC_NULL;
}

static int topology_of(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    aa_mpi.Topo_test(comm, &topology);
    return topology;
}

int aa_neighbour_places(MPI_Comm comm) {
    int topology = topology_of(comm);
    return topology == MPI_UNDEFINED ? 0 : place_count(AA_SOURCES, topology, comm);
}

int aa_neighbour_count(enum aa_neighbours side, MPI_Comm comm) {
    int topology = topology_of(comm), existing = 0;
    for (int place = 0, places = place_count(side, topology, comm); place < places; place++)
        existing += exists(place, topology, comm);
    return existing;
}

/* Two versions, for int and for MPI_Count counts. */
#define SUMS(kind, count_type)                                                                               \
    uint64_t aa_neighbour_sum_##kind(enum aa_neighbours side, const count_type counts[], MPI_Datatype type,  \
                                     MPI_Comm comm) {                                                        \
        int topology = topology_of(comm);                                                                    \
        MPI_Count total = 0;                                                                                 \
        for (int place = 0, places = place_count(side, topology, comm); place < places; place++)             \
            total += exists(place, topology, comm) ? counts[place] : 0;                                      \
        return aa_bytes(total, type);                                                                        \
    }

SUMS(int, int)
SUMS(large, MPI_Count)

/* Two versions with a type per neighbour, for C and for Fortran. */
#define SUMS_OF_TYPES(kind, count_type, element, of)                                                         \
    uint64_t aa_neighbour_sum_types_##kind(enum aa_neighbours side, const count_type counts[],               \
                                           const element types[], MPI_Comm comm) {                           \
        int topology = topology_of(comm);                                                                    \
        uint64_t total = 0;                                                                                  \
        for (int place = 0, places = place_count(side, topology, comm); place < places; place++)             \
            total += exists(place, topology, comm) ? aa_bytes(counts[place], of(types[place])) : 0;          \
        return total;                                                                                        \
    }

SUMS_OF_TYPES(int, int, MPI_Datatype, AA_TYPE_OF_C)
SUMS_OF_TYPES(large, MPI_Count, MPI_Datatype, AA_TYPE_OF_C)
SUMS_OF_TYPES(f_int, int, struct aa_fortran_type, AA_TYPE_OF_FORTRAN)
SUMS_OF_TYPES(f_large, MPI_Count, struct aa_fortran_type, AA_TYPE_OF_FORTRAN)
