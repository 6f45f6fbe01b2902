/* Rooms: every rank gets the whole room of every block, as if each had become as long as it may. */
#include "collect.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { PARCEL = 25 }; /* rooms of a broadcast */

void collect(const struct share *share, char *archive) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct room *foreign = allocate(PARCEL, sizeof *foreign);
    /* Region 7: rooms of one size need no lengths, and a broadcast no receiver. */
    for (int owner = 0; owner < size; owner++) {
        for (int first = 0; first < share->count; first += PARCEL) {
            int count = share->count - first < PARCEL ? share->count - first : PARCEL;
            struct room *rooms = rank == owner ? share->rooms + first : foreign;
            MPI_Bcast(rooms, count * (int)sizeof *rooms, MPI_BYTE, owner, MPI_COMM_WORLD);
            for (int i = 0; rank == MASTER && i < count; i++) {
                memcpy(archive, rooms[i].bytes, rooms[i].length);
                archive += rooms[i].length;
            }
        }
    }
    free(foreign);
}
