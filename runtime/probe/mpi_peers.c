#include "mpi_peers.h"

#include <pthread.h>
#include <stdlib.h>

#include "shard.h"

static struct aa_mpi_peers of_world = {.users = 1, .everybody = true};
static int known = MPI_KEYVAL_INVALID;
static void (*end_slots_of)(struct aa_path_slots *);
_Atomic uint64_t aa_mpi_peers_freed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Called by MPI_Comm_dup; copies nothing. MPI's own callbacks are not used, because in some libraries they
 * are symbols, and this library is not linked to MPI.
 */
static int copy_nothing(MPI_Comm comm, int key, void *state, void *value, void *copy, int *copied) {
    (void)comm, (void)key, (void)state, (void)value, (void)copy;
    *copied = 0;
    return MPI_SUCCESS;
}

void aa_mpi_peers_keep(const struct aa_mpi_peers *peers) {
    if (peers)
        ((struct aa_mpi_peers *)peers)->users++;
}

void aa_mpi_peers_drop(const struct aa_mpi_peers *peers) {
    struct aa_mpi_peers *dropped = (struct aa_mpi_peers *)peers;
    if (dropped && --dropped->users == 0) {
        free(dropped->world);
        free(dropped);
    }
}

/*
 * Takes no lock, because MPI may hold its own lock, and other threads that hold ours may be waiting for it.
 */
static int forget(MPI_Comm comm, int key, void *value, void *state) {
    (void)comm, (void)key, (void)state;
    struct aa_mpi_peers *peers = value;
    aa_mpi_peers_freed++;
    if (peers->slots)
        end_slots_of(peers->slots);
    aa_mpi_peers_drop(peers);
    return MPI_SUCCESS;
}

bool aa_mpi_peers_begin(int size) {
    of_world.count = size;
    return aa_mpi.Comm_create_keyval(copy_nothing, forget, &known, NULL) == MPI_SUCCESS;
}

bool aa_mpi_peers_with_slots(void (*end_slots)(struct aa_path_slots *)) {
    end_slots_of = end_slots;
    return known != MPI_KEYVAL_INVALID;
}

void aa_mpi_peers_end(void) {
    aa_mpi.Comm_free_keyval(&known);
    if (of_world.slots)
        end_slots_of(of_world.slots);
    of_world.slots = NULL;
}

/* Returns the ranks of a group in MPI_COMM_WORLD; null if unknown. */
static int *translate(MPI_Group group, int count) {
    MPI_Group world;
    int *ranks = malloc((size_t)count * sizeof *ranks), *found = malloc((size_t)count * sizeof *found);
    bool done = ranks && found && aa_mpi.Comm_group(aa_mpi.world, &world) == MPI_SUCCESS;
    if (done) {
        for (int i = 0; i < count; i++)
            ranks[i] = i;
        done = aa_mpi.Group_translate_ranks(group, count, ranks, world, found) == MPI_SUCCESS;
        aa_mpi.Group_free(&world);
    }
    free(ranks);
    if (done)
        return found;
    free(found);
    return NULL;
}

static bool has_strangers(const int *ranks, int count) {
    int i = 0;
    while (ranks && i < count && ranks[i] >= 0)
        i++;
    return i < count;
}

/* Returns whether the local group of an intercommunicator has processes outside MPI_COMM_WORLD. */
static bool has_local_strangers(MPI_Comm comm) {
    MPI_Group group;
    int count = 0;
    if (aa_mpi.Comm_size(comm, &count) != MPI_SUCCESS || aa_mpi.Comm_group(comm, &group) != MPI_SUCCESS)
        return true;
    int *ranks = translate(group, count);
    bool found = has_strangers(ranks, count);
    free(ranks);
    aa_mpi.Group_free(&group);
    return found;
}

/* Frees the table if each rank is the same as in MPI_COMM_WORLD, for example in its duplicate. */
static void forget_if_same(struct aa_mpi_peers *peers) {
    int i = 0;
    while (i < peers->count && peers->world[i] == i)
        i++;
    if (i < peers->count)
        return;
    free(peers->world);
    peers->world = NULL;
}

static bool fill(struct aa_mpi_peers *peers, MPI_Comm comm) {
    MPI_Group group;
    int inter = 0;
    aa_mpi.Comm_test_inter(comm, &inter);
    peers->inter = inter != 0;
    int found = inter ? aa_mpi.Comm_remote_group(comm, &group) : aa_mpi.Comm_group(comm, &group);
    if (found != MPI_SUCCESS)
        return false;
    if (inter)
        aa_mpi.Comm_remote_size(comm, &peers->count);
    else
        aa_mpi.Comm_size(comm, &peers->count);
    peers->world = peers->count > 0 ? translate(group, peers->count) : NULL;
    aa_mpi.Group_free(&group);
    if (!peers->world)
        return false;
    peers->strangers = has_strangers(peers->world, peers->count) || (inter && has_local_strangers(comm));
    if (peers->strangers && aa_shard())
        aa_shard()->path_left_out |= AA_PATH_STRANGERS;
    if (!inter) {
        peers->everybody = peers->count == of_world.count && !peers->strangers;
        peers->salt = (uint32_t)(peers->count + 131 * peers->world[0] + 31 * peers->world[peers->count - 1]);
    }
    forget_if_same(peers);
    return true;
}

static struct aa_mpi_peers *kept(MPI_Comm comm) {
    void *peers = NULL;
    int found = 0;
    return aa_mpi.Comm_get_attr(comm, known, &peers, &found) == MPI_SUCCESS && found ? peers : NULL;
}

static struct aa_mpi_peers *make(MPI_Comm comm) {
    struct aa_mpi_peers *peers = calloc(1, sizeof *peers);
    if (peers)
        peers->users = 1;
    if (peers && fill(peers, comm) && aa_mpi.Comm_set_attr(comm, known, peers) == MPI_SUCCESS)
        return peers;
    aa_mpi_peers_drop(peers);
    return NULL;
}

/*
 * Returns the processes of a communicator, which are stored as an attribute. Takes a lock, because if two
 * threads stored the attribute, the second thread would free the processes that the first thread uses.
 */
static struct aa_mpi_peers *made_once(MPI_Comm comm) {
    pthread_mutex_lock(&lock);
    struct aa_mpi_peers *peers = kept(comm);
    if (!peers)
        peers = make(comm);
    pthread_mutex_unlock(&lock);
    return peers;
}

struct aa_mpi_peers *aa_mpi_peers_of(MPI_Comm comm) {
    if (comm == aa_mpi.world)
        return &of_world;
    if (comm == aa_mpi.no_comm)
        return NULL;
    struct aa_mpi_peers *peers = kept(comm);
    return peers ? peers : made_once(comm);
}
