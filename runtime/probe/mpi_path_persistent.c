/* The critical path's persistent collectives: each is started before the program's collective. */
#include <stdlib.h>

#include "mpi_bytes.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"

#ifdef AA_HAS_PERSISTENT_COLLECTIVES

static struct aa_path_collective *prepare(MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_mpi_peers_of(comm);
    return aa_path_has_group(peers) ? aa_path_new_collective(comm, peers->count, 1) : NULL;
}

void *aa_path_prepare_everyone(MPI_Comm comm) {
    struct aa_path_collective *it = prepare(comm);
    return it ? aa_path_keep_collective(it, aa_mpi.Allreduce_init(&it->mine, it->found, 1, aa_path_ours.chain,
                                                                  aa_path_ours.longest, comm, aa_mpi.no_info,
                                                                  &it->request))
              : NULL;
}

void *aa_path_prepare_from_root(int root, MPI_Comm comm) {
    struct aa_path_collective *it = prepare(comm);
    return it ? aa_path_keep_collective(it, aa_mpi.Bcast_init(it->found, 1, aa_path_ours.chain, root, comm,
                                                              aa_mpi.no_info, &it->request))
              : NULL;
}

void *aa_path_prepare_to_root(int root, MPI_Comm comm) {
    struct aa_path_collective *it = prepare(comm);
    return it ? aa_path_keep_collective(it, aa_mpi.Reduce_init(&it->mine, it->found, 1, aa_path_ours.chain,
                                                               aa_path_ours.longest, root, comm,
                                                               aa_mpi.no_info, &it->request))
              : NULL;
}

void *aa_path_prepare_from_lower(MPI_Comm comm) {
    struct aa_path_collective *it = prepare(comm);
    return it ? aa_path_keep_collective(it, aa_mpi.Scan_init(&it->mine, it->found, 1, aa_path_ours.chain,
                                                             aa_path_ours.longest, comm, aa_mpi.no_info,
                                                             &it->request))
              : NULL;
}

void *aa_path_prepare_from_neighbours(MPI_Comm comm) {
    int places = aa_neighbour_places(comm);
    struct aa_path_collective *it =
        aa_path_has_group(aa_mpi_peers_of(comm)) ? aa_path_new_collective(comm, places + 1, places) : NULL;
    return it ? aa_path_keep_collective(it, aa_mpi.Neighbor_allgather_init(
                                                &it->mine, 1, aa_path_ours.chain, it->found, 1,
                                                aa_path_ours.chain, comm, aa_mpi.no_info, &it->request))
              : NULL;
}

#endif

/*
 * Waits for the previous use of the collective, which completes soon or never, because all members have begun
 * it. Returns false if it did not complete in time.
 */
static bool is_over(struct aa_path_collective *it) {
    if (it->is_active && !it->is_lost)
        it->is_active = !aa_path_comes(&it->request);
    if (it->is_active && !it->is_lost)
        aa_path_miss();
    it->is_lost = it->is_active;
    return !it->is_active;
}

void aa_path_repeat(void *repeated) {
    struct aa_path_collective *it = repeated;
    if (!is_over(it))
        return;
    aa_path_write(&it->mine);
    it->found[0] = it->mine; /* the buffer of the broadcast, on the root */
    it->is_active = aa_mpi.Start(&it->request) == MPI_SUCCESS;
    aa_path_count_collective(it->members);
}

void aa_path_repeated(void *repeated) {
    struct aa_path_collective *it = repeated;
    if (!it->is_active || it->is_lost || !aa_path_is_here(&it->request))
        return;
    it->is_active = false;
    aa_path_join_collective(it);
}

void aa_path_repeat_ends(void *repeated) {
    struct aa_path_collective *it = repeated;
    if (!is_over(it))
        return;
    aa_mpi.Request_free(&it->request);
    free(it);
}
