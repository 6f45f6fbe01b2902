/* The critical path's non-blocking collectives, and the communicators on which some of them run. */
#include <stdlib.h>

#include "mpi_bytes.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"

/* ---- communicators of the tool, for operations during which the program may free its own communicator */

static _Atomic int companions;

/* Either all members create the communicator or none does: the process with the most companions decides. */
MPI_Comm aa_path_companion(MPI_Comm comm, bool has_room) {
    struct aa_path mine = {.length = has_room ? companions : AA_PATH_MOST_OF_ONE_KIND,
                           .from = aa_path_ours.me},
                   most;
    MPI_Comm made = aa_mpi.no_comm;
    MPI_Group group;
    if (!aa_path_counted_group(comm) ||
        aa_mpi.Allreduce(&mine, &most, 1, aa_path_ours.chain, aa_path_ours.longest, comm) != MPI_SUCCESS ||
        most.length >= AA_PATH_MOST_OF_ONE_KIND || aa_mpi.Comm_group(comm, &group) != MPI_SUCCESS)
        return made;
    if (aa_mpi.Comm_create(comm, group, &made) == MPI_SUCCESS)
        companions++;
    aa_mpi.Group_free(&group);
    return made;
}

void aa_path_companion_ends(MPI_Comm companion) {
    aa_path_leave(companion);
    aa_mpi.Comm_free(&companion);
    companions--;
}

/* ---- non-blocking collectives */

/* collectives that are complete for the program, but whose exchange of chains is not; no process waits for
 * them */
static struct aa_path_collective *overdue;

struct aa_path_collective *aa_path_new_collective(MPI_Comm comm, int members, int places) {
    struct aa_path_collective *it = calloc(1, sizeof *it + ((size_t)places + 1) * sizeof *it->found);
    aa_path_has_begun_ahead = true;
    if (it) {
        it->comm = comm;
        it->members = members;
        it->places = places;
    }
    return it;
}

struct aa_path_collective *aa_path_keep_collective(struct aa_path_collective *collective, int result) {
    if (result == MPI_SUCCESS)
        return collective;
    free(collective);
    return NULL;
}

void aa_path_join_collective(const struct aa_path_collective *collective) {
    for (int i = 0; i < collective->places; i++)
        aa_path_join(&collective->found[i]);
}

static struct aa_path_collective *begin(MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_path_counted_group(comm);
    struct aa_path_collective *begun = peers ? aa_path_new_collective(comm, peers->count, 1) : NULL;
    if (begun)
        aa_path_write(&begun->mine);
    return begun;
}

/* Begins nothing if the root is invalid, because the program's own call will report this error. */
static struct aa_path_collective *begin_with(int root, MPI_Comm comm) {
    const struct aa_mpi_peers *peers = aa_mpi_peers_of(comm);
    return peers && (peers->inter || (root >= 0 && root < peers->count)) ? begin(comm) : NULL;
}

void *aa_path_begin_everyone(MPI_Comm comm) {
    struct aa_path_collective *it = begin(comm);
    return it ? aa_path_keep_collective(it, aa_mpi.Iallreduce(&it->mine, it->found, 1, aa_path_ours.chain,
                                                              aa_path_ours.longest, comm, &it->request))
              : NULL;
}

void *aa_path_begin_from_root(int root, MPI_Comm comm) {
    struct aa_path_collective *it = begin_with(root, comm);
    if (it)
        it->found[0] = it->mine;
    return it ? aa_path_keep_collective(
                    it, aa_mpi.Ibcast(it->found, 1, aa_path_ours.chain, root, comm, &it->request))
              : NULL;
}

void *aa_path_begin_to_root(int root, MPI_Comm comm) {
    struct aa_path_collective *it = begin_with(root, comm);
    return it ? aa_path_keep_collective(it, aa_mpi.Ireduce(&it->mine, it->found, 1, aa_path_ours.chain,
                                                           aa_path_ours.longest, root, comm, &it->request))
              : NULL;
}

void *aa_path_begin_from_lower(MPI_Comm comm) {
    struct aa_path_collective *it = begin(comm);
    return it ? aa_path_keep_collective(it, aa_mpi.Iscan(&it->mine, it->found, 1, aa_path_ours.chain,
                                                         aa_path_ours.longest, comm, &it->request))
              : NULL;
}

void *aa_path_begin_from_neighbours(MPI_Comm comm) {
    int places = aa_neighbour_places(comm);
    struct aa_path_collective *it =
        aa_path_has_group(aa_mpi_peers_of(comm)) ? aa_path_new_collective(comm, places + 1, places) : NULL;
    if (!it)
        return NULL;
    aa_path_write(&it->mine);
    aa_path_count_collective(places + 1);
    return aa_path_keep_collective(it, aa_mpi.Ineighbor_allgather(&it->mine, 1, aa_path_ours.chain, it->found,
                                                                  1, aa_path_ours.chain, comm, &it->request));
}

static void end(struct aa_path_collective *begun) {
    aa_path_join_collective(begun);
    free(begun);
}

static bool is_complete(struct aa_path_collective *begun, bool just_now) {
    int complete = 0;
    if (just_now)
        complete = aa_path_is_here(&begun->request);
    else
        aa_mpi.Test(&begun->request, &complete, MPI_STATUS_IGNORE);
    if (complete)
        end(begun);
    return complete;
}

/* Waits for all overdue collectives, or those of a communicator; all members do this at the same time. */
static void end_overdue(MPI_Comm comm, bool in_all) {
    struct aa_path_collective **place = &overdue;
    aa_path_lock();
    while (*place) {
        struct aa_path_collective *begun = *place;
        if (!in_all && begun->comm != comm) {
            place = &begun->next;
            continue;
        }
        *place = begun->next;
        if (aa_path_comes(&begun->request))
            end(begun);
        else
            aa_path_miss();
    }
    aa_path_unlock();
}

void aa_path_leave(MPI_Comm comm) {
    end_overdue(comm, false);
}

void aa_path_end_collectives(void) {
    end_overdue(aa_mpi.world, true);
}

void aa_path_complete(void *collective) {
    struct aa_path_collective *begun = collective, *others;
    aa_path_lock();
    begun->next = overdue;
    others = begun;
    overdue = NULL;
    while (others) {
        struct aa_path_collective *next = others->next;
        if (!is_complete(others, others == begun)) {
            others->next = overdue;
            overdue = others;
        }
        others = next;
    }
    aa_path_unlock();
}
