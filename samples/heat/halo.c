#include "halo.h"

enum { UPWARDS_TAG, DOWNWARDS_TAG };

struct halo halo_make(void) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return (struct halo){
        .above = rank > 0 ? rank - 1 : MPI_PROC_NULL,
        .below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL,
    };
}

void halo_start(struct halo *halo, const struct field *field) {
    int columns = field->columns, last = field->rows;
    MPI_Irecv(field_row(field, 0), columns, MPI_DOUBLE, halo->above, DOWNWARDS_TAG, MPI_COMM_WORLD,
              &halo->pending[0]);
    MPI_Irecv(field_row(field, last + 1), columns, MPI_DOUBLE, halo->below, UPWARDS_TAG, MPI_COMM_WORLD,
              &halo->pending[1]);
    MPI_Isend(field_row(field, 1), columns, MPI_DOUBLE, halo->above, UPWARDS_TAG, MPI_COMM_WORLD,
              &halo->pending[2]);
    MPI_Isend(field_row(field, last), columns, MPI_DOUBLE, halo->below, DOWNWARDS_TAG, MPI_COMM_WORLD,
              &halo->pending[3]);
}

void halo_finish(struct halo *halo) {
    MPI_Status statuses[4]; /* gcc 12 takes MPICH's MPI_STATUSES_IGNORE for an array that is too short */
    MPI_Waitall(4, halo->pending, statuses);
}
