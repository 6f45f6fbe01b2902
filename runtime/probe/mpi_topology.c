#include "mpi_topology.h"

#include <string.h>

#include "mpi_bytes.h"
#include "self.h"
#include "shard.h"

#define SAMPLED 64 /* number of members whose ranks distinguish communicators of the same size */

struct place {
    enum aa_topology_kind kind;
    uint64_t members;
    uint32_t dimensions;
    struct aa_axis axes[AA_MOST_DIMENSIONS];
};

/* ---- the members of a topology */

static uint64_t mix(uint64_t digest, uint64_t value) {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 32;
}

static uint64_t digest_of(MPI_Group group, MPI_Group world, int size) {
    int ranks[SAMPLED], in_world[SAMPLED], count = size < SAMPLED ? size : SAMPLED;
    for (int i = 0; i < count; i++)
        ranks[i] = (int)((int64_t)i * (size - 1) / (count - 1));
    uint64_t digest = (uint64_t)size;
    if (aa_mpi.Group_translate_ranks(group, count, ranks, world, in_world) == MPI_SUCCESS) {
        for (int i = 0; i < count; i++)
            digest = mix(digest, (uint32_t)in_world[i]);
    }
    return digest;
}

/*
 * Returns a number that is the same in all processes of a communicator, computed from their ranks in
 * MPI_COMM_WORLD. If the program only uses sessions, which have no such ranks, the number is the size.
 */
static uint64_t members_of(MPI_Comm comm, int size) {
    MPI_Group group, world;
    if (!aa_mpi.in_world || aa_mpi.Comm_group(comm, &group) != MPI_SUCCESS)
        return (uint64_t)size;
    uint64_t digest = (uint64_t)size;
    if (aa_mpi.Comm_group(aa_mpi.world, &world) == MPI_SUCCESS) {
        digest = digest_of(group, world, size);
        aa_mpi.Group_free(&world);
    }
    aa_mpi.Group_free(&group);
    return digest;
}

/* ---- the process's place in a topology */

static bool find_in_grid(MPI_Comm comm, struct place *place) {
    int dimensions = 0;
    int sizes[AA_MOST_DIMENSIONS], periodic[AA_MOST_DIMENSIONS], at[AA_MOST_DIMENSIONS];
    if (aa_mpi.Cartdim_get(comm, &dimensions) != MPI_SUCCESS || dimensions > AA_MOST_DIMENSIONS ||
        aa_mpi.Cart_get(comm, dimensions, sizes, periodic, at) != MPI_SUCCESS)
        return false;
    place->kind = AA_GRID;
    place->dimensions = (uint32_t)dimensions;
    for (int i = 0; i < dimensions; i++)
        place->axes[i] = (struct aa_axis){sizes[i], periodic[i] != 0, at[i]};
    return true;
}

/* Finds the position in a graph, whose nodes have numbers but no coordinates. */
static bool find_in_graph(MPI_Comm comm, int size, enum aa_topology_kind kind, struct place *place) {
    place->kind = kind;
    place->dimensions = 1;
    place->axes[0] = (struct aa_axis){size, false, aa_rank(comm)};
    return true;
}

static bool find_place(MPI_Comm comm, int size, struct place *place) {
    int topology = MPI_UNDEFINED;
    aa_mpi.Topo_test(comm, &topology);
    if (topology == MPI_CART)
        return find_in_grid(comm, place);
    return find_in_graph(comm, size, topology == MPI_GRAPH ? AA_GRAPH : AA_DISTRIBUTED_GRAPH, place);
}

/* ---- recording */

static struct aa_topology *kept[AA_MOST_TOPOLOGIES];
static uint32_t count;

static bool is_kept(const struct place *place) {
    for (uint32_t i = 0; i < count; i++) {
        const struct aa_topology *known = kept[i];
        if (known->kind == (uint32_t)place->kind && known->members == place->members &&
            known->dimensions == place->dimensions &&
            memcmp(known->axes, place->axes, place->dimensions * sizeof *place->axes) == 0)
            return true;
    }
    return false;
}

static bool append(const struct place *place) {
    size_t axes = place->dimensions * sizeof *place->axes;
    struct aa_topology *topology = aa_shard_append(AA_RECORD_TOPOLOGY, sizeof *topology + axes);
    if (topology == NULL)
        return false;
    topology->kind = place->kind;
    topology->members = place->members;
    topology->dimensions = place->dimensions;
    memcpy(topology->axes, place->axes, axes);
    aa_shard_publish();
    kept[count++] = topology;
    return true;
}

/* Records a position once. If `place` is null, only counts a position that cannot be recorded. */
static void keep(const struct place *place) {
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    if (!place || (!is_kept(place) && (count == AA_MOST_TOPOLOGIES || !append(place))))
        aa_shard()->topologies_left_out++;
    aa_shard_unlock();
    aa_section_end(section);
}

void aa_topology_made(MPI_Comm comm) {
    struct place place;
    int size = comm != aa_mpi.no_comm ? aa_local_size(comm) : 0;
    if (size < 2 || aa_shard() == NULL || aa_thread_closed)
        return;
    bool found = find_place(comm, size, &place);
    place.members = members_of(comm, size);
    keep(found ? &place : NULL);
}
