/* Who the processes of a communicator are in MPI_COMM_WORLD. */
#ifndef AA_MPI_PEERS_H
#define AA_MPI_PEERS_H

#include "mpi_library.h"

struct aa_path_slots;

struct aa_mpi_peers {
    int count;      /* of those to whom messages go: of an intercommunicator the remote group */
    uint32_t salt;  /* tells communicators with the same two members apart, the same in all members; mostly */
    bool inter;     /* an intercommunicator */
    bool everybody; /* all of MPI_COMM_WORLD */
    bool strangers; /* some, of either group, are of another MPI_COMM_WORLD: they send and await nothing of
                       ours */
    int *world;     /* of each its rank there, negative if it has none; null: the same */
    uint32_t collectives;        /* of the critical path's, by messages */
    struct aa_path_slots *slots; /* of the critical path's; null: none */
};

/* Slots end with the communicator. */
bool aa_mpi_peers_begin(int size, void (*end_slots)(struct aa_path_slots *));
void aa_mpi_peers_end(void);

/* Null: not known. It stays as long as the communicator. */
struct aa_mpi_peers *aa_mpi_peers_of(MPI_Comm comm);

static inline int aa_mpi_peer(const struct aa_mpi_peers *peers, int rank) {
    if (!peers || rank < 0 || rank >= peers->count)
        return -1;
    return peers->world ? peers->world[rank] : rank;
}

#endif
