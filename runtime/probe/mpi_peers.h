/* The processes of communicators: their ranks in MPI_COMM_WORLD, and data for our own messages. */
#ifndef AA_MPI_PEERS_H
#define AA_MPI_PEERS_H

#include "mpi_library.h"

struct aa_path_slots;

struct aa_mpi_peers {
    _Atomic uint32_t users; /* 1 for the communicator, plus 1 for each aa_mpi_peers_keep without a drop */
    /* the number of processes to which messages go; for an intercommunicator, the size of the remote group */
    int count;
    /* a number that is the same in all members, and usually different in communicators that have two
     * processes in common but differ in size, first or last member; 0 for intercommunicators */
    uint32_t salt;
    bool inter;     /* whether the communicator is an intercommunicator */
    bool everybody; /* whether all processes of MPI_COMM_WORLD, and no others, are members */
    /* whether processes of either group belong to another MPI_COMM_WORLD; we neither send to them nor
     * receive from them */
    bool strangers;
    /* the rank of each process in MPI_COMM_WORLD, negative if it has none; null: the same ranks as in the
     * communicator */
    int *world;
    _Atomic bool is_left; /* whether our collectives for the critical path have ended on this communicator */
    /* the number of collectives for the critical path that we have carried out with messages so far */
    uint32_t collectives;
    struct aa_path_slots *slots; /* shared memory of our collectives for the critical path; null: none */
};

/*
 * Called after MPI_Init, before the other functions. size: the number of processes in MPI_COMM_WORLD. Returns
 * false if MPI fails.
 */
bool aa_mpi_peers_begin(int size);
/* Called before MPI_Finalize, if aa_mpi_peers_begin returned true; frees all memory that these functions have
 * allocated. */
void aa_mpi_peers_end(void);

/* Sets the function that is called with the slots of each communicator that is freed. Returns whether the
 * other functions may be called. */
bool aa_mpi_peers_with_slots(void (*end_slots)(struct aa_path_slots *));

/* The number of communicators freed so far. While it stays the same, aa_mpi_peers_of returns the same
 * processes for a handle, because MPI only reuses the handles of freed communicators. */
extern _Atomic uint64_t aa_mpi_peers_freed;

/*
 * aa_mpi_peers_of returns the processes of a communicator, which stay valid as long as it exists; null if
 * unknown. A request may complete after a thread has freed the communicator, so it keeps the processes and
 * drops them later; keeping and dropping do nothing for null.
 */
struct aa_mpi_peers *aa_mpi_peers_of(MPI_Comm comm);
void aa_mpi_peers_keep(const struct aa_mpi_peers *peers);
void aa_mpi_peers_drop(const struct aa_mpi_peers *peers);

/*
 * Returns the rank in MPI_COMM_WORLD of a process of the communicator; negative if it has none or is
 * unknown.
 */
static inline int aa_mpi_peer(const struct aa_mpi_peers *peers, int rank) {
    if (!peers || rank < 0 || rank >= peers->count)
        return -1;
    return peers->world ? peers->world[rank] : rank;
}

#endif
