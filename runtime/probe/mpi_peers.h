/* The ranks in MPI_COMM_WORLD of a communicator's processes. */
#ifndef AA_MPI_PEERS_H
#define AA_MPI_PEERS_H

#include "mpi_library.h"

struct aa_path_slots;

struct aa_mpi_peers {
    struct aa_mpi_peers *next; /* of those whose communicator was freed */
    int count;                 /* processes to which messages go; on an intercommunicator, the remote group */
    /* in most cases distinguishes communicators with the same two members; the same in all members */
    uint32_t salt;
    bool inter;     /* whether it is an intercommunicator */
    bool everybody; /* whether it has all processes of MPI_COMM_WORLD */
    /* whether processes of either group belong to another MPI_COMM_WORLD: none of our messages go to or
     * come from them */
    bool strangers;
    int *world; /* rank of each process there, negative if it has none; null: the ranks are the same */
    _Atomic bool is_left;        /* whether the critical path has no own collectives any more */
    uint32_t collectives;        /* the number of the critical path's own collectives by messages */
    struct aa_path_slots *slots; /* for the critical path's own collectives; null: none */
};

/* end_slots is called when the communicator is freed. */
bool aa_mpi_peers_begin(int size, void (*end_slots)(struct aa_path_slots *));
void aa_mpi_peers_end(void);

/* Returns null if unknown. The result is valid as long as the communicator or a request on it. */
struct aa_mpi_peers *aa_mpi_peers_of(MPI_Comm comm);

static inline int aa_mpi_peer(const struct aa_mpi_peers *peers, int rank) {
    if (!peers || rank < 0 || rank >= peers->count)
        return -1;
    return peers->world ? peers->world[rank] : rank;
}

#endif
