#include "mpi_bytes.h"

uint64_t aa_bytes(MPI_Count count, MPI_Datatype type) {
    MPI_Count size = 0;
    if (count <= 0 || aa_mpi.Type_size_x(type, &size) != MPI_SUCCESS || size <= 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

uint64_t aa_peer_bytes(int peer, MPI_Count count, MPI_Datatype type) {
    return peer == MPI_PROC_NULL ? 0 : aa_bytes(count, type);
}

uint64_t aa_status_bytes(const MPI_Status *status) {
    MPI_Count bytes = 0;
    if (aa_mpi.Get_elements_x(status, aa_mpi.byte, &bytes) != MPI_SUCCESS || bytes < 0)
        return 0;
    return (uint64_t)bytes;
}

int aa_rank(MPI_Comm comm) {
    int rank = 0;
    aa_mpi.Comm_rank(comm, &rank);
    return rank;
}

int aa_local_size(MPI_Comm comm) {
    int size = 0;
    aa_mpi.Comm_size(comm, &size);
    return size;
}

static bool is_inter(MPI_Comm comm) {
    int inter = 0;
    aa_mpi.Comm_test_inter(comm, &inter);
    return inter != 0;
}

/* Returns the number of parts in a collective. */
static int part_count(MPI_Comm comm) {
    int size = 0;
    if (is_inter(comm))
        aa_mpi.Comm_remote_size(comm, &size);
    else
        aa_mpi.Comm_size(comm, &size);
    return size;
}

bool aa_is_root(int root, MPI_Comm comm) {
    return root == MPI_ROOT || (root >= 0 && !is_inter(comm) && aa_rank(comm) == root);
}

bool aa_is_leaf(int root, MPI_Comm comm) {
    return root >= 0 && (is_inter(comm) || aa_rank(comm) != root);
}

/*
 * On the root's side of an intercommunicator, `root` is MPI_ROOT or MPI_PROC_NULL, both of which are
 * negative.
 */
bool aa_has_part(int root) {
    return root >= 0;
}

int aa_parts(MPI_Comm comm, const void *buffer) {
    return part_count(comm) - (buffer == MPI_IN_PLACE ? 1 : 0);
}

/* Returns the index of the part that a sum excludes; -1 if it excludes none. */
static int left_out(MPI_Comm comm, const void *buffer) {
    return buffer == MPI_IN_PLACE ? aa_rank(comm) : -1;
}

/* Two versions, for int and for MPI_Count counts. */
#define SUMS(kind, count_type)                                                                               \
    uint64_t aa_sum_##kind(const count_type counts[], MPI_Datatype type, MPI_Comm comm,                      \
                           const void *buffer) {                                                             \
        MPI_Count total = 0;                                                                                 \
        for (int part = 0, parts = part_count(comm), out = left_out(comm, buffer); part < parts; part++)     \
            total += part == out ? 0 : counts[part];                                                         \
        return aa_bytes(total, type);                                                                        \
    }                                                                                                        \
                                                                                                             \
    uint64_t aa_sum_local_##kind(const count_type counts[], MPI_Datatype type, MPI_Comm comm) {              \
        MPI_Count total = 0;                                                                                 \
        for (int part = 0, parts = aa_local_size(comm); part < parts; part++)                                \
            total += counts[part];                                                                           \
        return aa_bytes(total, type);                                                                        \
    }

SUMS(int, int)
SUMS(large, MPI_Count)

/* Two versions with a type per part, for C and for Fortran. */
#define SUMS_OF_TYPES(kind, count_type, element, of)                                                         \
    uint64_t aa_sum_types_##kind(const count_type counts[], const element types[], MPI_Comm comm,            \
                                 const void *buffer) {                                                       \
        uint64_t total = 0;                                                                                  \
        for (int part = 0, parts = part_count(comm), out = left_out(comm, buffer); part < parts; part++)     \
            total += part == out ? 0 : aa_bytes(counts[part], of(types[part]));                              \
        return total;                                                                                        \
    }

SUMS_OF_TYPES(int, int, MPI_Datatype, AA_TYPE_OF_C)
SUMS_OF_TYPES(large, MPI_Count, MPI_Datatype, AA_TYPE_OF_C)
SUMS_OF_TYPES(f_int, int, struct aa_fortran_type, AA_TYPE_OF_FORTRAN)
SUMS_OF_TYPES(f_large, MPI_Count, struct aa_fortran_type, AA_TYPE_OF_FORTRAN)
