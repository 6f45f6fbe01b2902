/*
 * The bytes that an MPI call sends and receives: the functions that the expressions in
 * runtime/mpi/byte_rules.py use. They return bytes unless noted otherwise.
 *
 * They are called after the MPI call has succeeded, so that MPI itself reports invalid arguments of the
 * program.
 */
#ifndef AA_MPI_BYTES_H
#define AA_MPI_BYTES_H

#include <stdint.h>

#include "mpi_fortran.h"
#include "mpi_library.h"

/* Returns the size of `count` elements; 0 if MPI does not return the size of the type. */
uint64_t aa_bytes(MPI_Count count, MPI_Datatype type);
/* Returns the size of a message to `peer`; 0 if `peer` is MPI_PROC_NULL, to which nothing is sent. */
uint64_t aa_peer_bytes(int peer, MPI_Count count, MPI_Datatype type);
/* Returns the number of bytes that a completed receive or file operation has transferred. */
uint64_t aa_status_bytes(const MPI_Status *status);

/* Returns whether a one-sided operation is MPI_NO_OP, which sends nothing. */
static inline bool aa_is_no_op(MPI_Op op) {
    return op == aa_mpi.no_op;
}

/*
 * Return the role of the process in a collective with a root. On an intercommunicator, the root and its
 * group pass special values as `root`.
 */
bool aa_is_root(int root, MPI_Comm comm);
bool aa_is_leaf(int root, MPI_Comm comm); /* whether the process takes part and is not the root */
/* whether one of the gathered or scattered parts belongs to the process */
bool aa_has_part(int root);

/* Return the rank of the process, and the number of processes in its group; both are 0 if MPI fails. */
int aa_rank(MPI_Comm comm);
int aa_local_size(MPI_Comm comm);

/*
 * Returns the number of parts that a collective transfers: one per process in the group or, with an
 * intercommunicator, in the remote group. If buffer is MPI_IN_PLACE, the process's own part is excluded.
 */
int aa_parts(MPI_Comm comm, const void *buffer);

/*
 * Return the bytes of all parts of a collective with a count, or a count and a type, per part. Counts are
 * int arrays, or MPI_Count arrays in large-count functions. Types are C types, or Fortran types in
 * functions whose names end in _f. For aa_sum_local, there is one part per process in the local group.
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

/*
 * The neighbours from which a process receives, and to which it sends, in a process topology. A process at
 * the edge of a non-periodic grid has no neighbours beyond the edge.
 */
enum aa_neighbours { AA_SOURCES, AA_TARGETS };

/* Returns the number of existing neighbours. */
int aa_neighbour_count(enum aa_neighbours side, MPI_Comm comm);
/* Returns the number of sources, including those beyond the edges of a grid. */
int aa_neighbour_places(MPI_Comm comm);

/* Return the bytes for all existing neighbours, given a count, or a count and a type, per neighbour. */
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
