/* Who the processes of a communicator are in MPI_COMM_WORLD. */
#ifndef AA_MPI_PEERS_H
#define AA_MPI_PEERS_H

#include "mpi_library.h"

struct aa_mpi_peers {
    int count;      /* of those to whom messages go: of an intercommunicator the remote group */
    uint32_t salt;  /* tells communicators with the same two members apart, the same in all members; mostly */
    bool inter;     /* an intercommunicator */
    bool everybody; /* all of MPI_COMM_WORLD */
    bool strangers; /* some, of either group, are of another MPI_COMM_WORLD: they send and await nothing of
                       ours */
    int *world;     /* of each its rank there, negative if it has none; null: the same */
};

bool aa_mpi_peers_begin(int size);
void aa_mpi_peers_end(void);

/* Null: not known. It stays as long as the communicator. */
const struct aa_mpi_peers *aa_mpi_peers_of(MPI_Comm comm);

static inline int aa_mpi_peer(const struct aa_mpi_peers *peers, int rank) {
    if (!peers || rank < 0 || rank >= peers->count)
        return -1;
    return peers->world ? peers->world[rank] : rank;
}

#endif
