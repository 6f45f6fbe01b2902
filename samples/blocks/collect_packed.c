/* Packed: the master gets what the blocks became, from each rank in one piece, and nobody else gets anything.
 */
#include "collect.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

void collect(const struct share *share, char *archive) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *packed = allocate(share_length(share), 1);
    int length = 0, *lengths = allocate(size, sizeof *lengths), *offsets = allocate(size, sizeof *offsets);
    /* Region 7: no more than the blocks of this rank side by side. */
    for (int i = 0; i < share->count; i++) {
        memcpy(packed + length, share->rooms[i].bytes, share->rooms[i].length);
        length += share->rooms[i].length;
    }
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, MASTER, MPI_COMM_WORLD);
    for (int from = 1; from < size; from++) {
        offsets[from] = offsets[from - 1] + lengths[from - 1];
    }
    MPI_Gatherv(packed, length, MPI_BYTE, archive, lengths, offsets, MPI_BYTE, MASTER, MPI_COMM_WORLD);
    free(offsets);
    free(lengths);
    free(packed);
}
