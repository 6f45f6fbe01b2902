#include "mpi_messages.h"

#include "mpi_peers.h"
#include "mpi_request_table.h"
#include "self.h"
#include "shard.h"

/* a power of two: number of communicators per thread whose processes are found without a call of MPI */
#define KNOWN 4

static bool is_counting;

/* The processes of the communicators that the thread has used most recently, by handle. */
struct known {
    MPI_Comm comm;
    uint64_t freed;
    const struct aa_mpi_peers *peers;
};

static _Thread_local struct known latest[KNOWN] AA_INITIAL_EXEC;

void aa_mpi_messages_begin(int size, bool spawned) {
    is_counting = aa_shard() && !spawned && size > 0 && aa_mpi_peers_begin(size);
    if (is_counting)
        aa_messages_begin(size, aa_requests_are_shared());
}

void aa_mpi_messages_end(void) {
    if (is_counting)
        aa_mpi_peers_end();
    is_counting = false;
}

static __attribute__((noinline)) int look_up(struct known *known, int dest, MPI_Comm comm, uint64_t freed) {
    *known = (struct known){comm, freed, aa_mpi_peers_of(comm)};
    return aa_mpi_peer(known->peers, dest);
}

/* Looks up a communicator in MPI only once, because MPI may take a lock for this. A handle's processes stay
 * the same until a communicator is freed. A used entry has `freed` above 0, because a handle may be 0. */
int aa_receiver_elsewhere(int dest, MPI_Comm comm) {
    if (!is_counting)
        return -1;
    uint64_t freed = atomic_load_explicit(&aa_mpi_peers_freed, memory_order_acquire) + 1;
    uint64_t mixed = (uint64_t)(uintptr_t)comm * UINT64_C(0x9E3779B97F4A7C15);
    struct known *known = &latest[mixed >> 32 & (KNOWN - 1)];
    if (__builtin_expect(known->comm != comm || known->freed != freed, false))
        return look_up(known, dest, comm, freed);
    return aa_mpi_peer(known->peers, dest);
}
