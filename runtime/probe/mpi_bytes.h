/*
 * The number of bytes that a call passes to MPI and receives from it: the functions in the expressions of
 * runtime/mpi/byte_rules.py.
 *
 * They are called after the MPI call has succeeded, so wrong arguments of the program are reported by MPI
 * and not here.
 */
#ifndef AA_MPI_BYTES_H
#define AA_MPI_BYTES_H

#include <stdint.h>

#include "mpi_fortran.h"
#include "mpi_library.h"

uint64_t aa_bytes(MPI_Count count, MPI_Datatype type);
/* 0 for MPI_PROC_NULL, to which nothing is sent */
uint64_t aa_peer_bytes(int peer, MPI_Count count, MPI_Datatype type);
uint64_t aa_status_bytes(const MPI_Status *status);

/* With MPI_NO_OP, nothing is sent. */
static inline bool aa_is_no_op(MPI_Op op) {
    return op == aa_mpi.no_op;
}

/*
 * Roles in a collective with a root. On an intercommunicator, the root and its group have different
 * arguments.
 */
bool aa_is_root(int root, MPI_Comm comm);
bool aa_is_leaf(int root, MPI_Comm comm); /* takes part and is not the root */
bool aa_has_part(int root);               /* owns one of the parts that are gathered or scattered */

int aa_rank(MPI_Comm comm);
int aa_local_size(MPI_Comm comm);

/*
 * The number of parts of a collective: one per process of the group, or of the remote group. If a buffer
 * is MPI_IN_PLACE, the process's own part, which is not moved, is excluded.
 */
int aa_parts(MPI_Comm comm, const void *buffer);

/*
 * Sums over the parts. Counts are int arrays, or MPI_Count arrays in large-count functions. Types are C's,
 * or Fortran's in functions whose names end in _f.
 */
#define AA_COUNTS(function, counts)                                                                          \
    _Generic((counts), int * : function##_int, const int * : function##_int, default : function##_large)

#define AA_COUNTS_TYPES(function, counts, types)                                                             \
    _Generic((types), const struct aa_fortran_type * : AA_COUNTS(function##_f, counts),                      \
             default : AA_COUNTS(function, counts))

#define aa_sum(counts, type, comm, buffer) AA_COUNTS(aa_sum, counts)(counts, type, comm, buffer)
#define aa_sum_types(counts, types, comm, buffer)                                                            \
    AA_COUNTS_TYPES(aa_sum_types, counts, types)(counts, types, comm, buffer)
#define aa_sum_local(counts, type, comm) AA_COUNTS(aa_sum_local, counts)(counts, type, comm)

uint64_t aa_sum_int(const int counts[], MPI_Datatype type, MPI_Comm comm, const void *buffer);
uint64_t aa_sum_large(const MPI_Count counts[], MPI_Datatype type, MPI_Comm comm, const void *buffer);
uint64_t aa_sum_types_int(const int counts[], const MPI_Datatype types[], MPI_Comm comm, const void *buffer);
uint64_t aa_sum_types_large(const MPI_Count counts[], const MPI_Datatype types[], MPI_Comm comm,
                            const void *buffer);
uint64_t aa_sum_types_f_int(const int counts[], const struct aa_fortran_type types[], MPI_Comm comm,
                            const void *buffer);
uint64_t aa_sum_types_f_large(const MPI_Count counts[], const struct aa_fortran_type types[], MPI_Comm comm,
                              const void *buffer);
uint64_t aa_sum_local_int(const int counts[], MPI_Datatype type, MPI_Comm comm);
uint64_t aa_sum_local_large(const MPI_Count counts[], MPI_Datatype type, MPI_Comm comm);

/* The existing neighbours in a process topology: a non-periodic grid has none beyond its edges. */
enum aa_neighbours { AA_SOURCES, AA_TARGETS };

int aa_neighbour_count(enum aa_neighbours side, MPI_Comm comm);
/* the number of sources, including those beyond the edges of a grid */
int aa_neighbour_places(MPI_Comm comm);

#define aa_neighbour_sum(side, counts, type, comm)                                                           \
    AA_COUNTS(aa_neighbour_sum, counts)(side, counts, type, comm)
#define aa_neighbour_sum_types(side, counts, types, comm)                                                    \
    AA_COUNTS_TYPES(aa_neighbour_sum_types, counts, types)(side, counts, types, comm)

uint64_t aa_neighbour_sum_int(enum aa_neighbours side, const int counts[], MPI_Datatype type, MPI_Comm comm);
uint64_t aa_neighbour_sum_large(enum aa_neighbours side, const MPI_Count counts[], MPI_Datatype type,
                                MPI_Comm comm);
uint64_t aa_neighbour_sum_types_int(enum aa_neighbours side, const int counts[], const MPI_Datatype types[],
                                    MPI_Comm comm);
uint64_t aa_neighbour_sum_types_large(enum aa_neighbours side, const MPI_Count counts[],
                                      const MPI_Datatype types[], MPI_Comm comm);
uint64_t aa_neighbour_sum_types_f_int(enum aa_neighbours side, const int counts[],
                                      const struct aa_fortran_type types[], MPI_Comm comm);
uint64_t aa_neighbour_sum_types_f_large(enum aa_neighbours side, const MPI_Count counts[],
                                        const struct aa_fortran_type types[], MPI_Comm comm);

#endif
