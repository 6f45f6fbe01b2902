/*
 * Collectives in place, between groups, among neighbours, and with persistent requests. The tests in conformance/ check
 * each function in its simplest use.
 */
#include "case.h"

#include <mpi.h>

#define N 6
#define PART (N * (int)sizeof(int)) /* size of a part in bytes */
#define MAX 16

static int rank, size, root;
static int out[MAX * MAX * N], in[MAX * MAX * N];
static int counts[MAX], places[MAX], own;
static const MPI_Comm world = MPI_COMM_WORLD;

static int is_root(void) {
    return rank == root;
}

/* Size of the parts of all ranks, in bytes; the part of rank r has r + 1 ints. */
static int triangle(int n) {
    return n * (n + 1) / 2 * (int)sizeof(int);
}

static void prepare(void) {
    for (int r = 0, place = 0; r < MAX; r++) {
        counts[r] = r + 1;
        places[r] = place;
        place += counts[r];
    }
    own = counts[rank] * (int)sizeof(int);
}

static void rooted(void) {
    CASE("Reduce in place", 1, PART, is_root() ? PART : 0,
         MPI_Reduce(is_root() ? MPI_IN_PLACE : out, is_root() ? in : NULL, N, MPI_INT, MPI_SUM, root, world));
    CASE("Gather in place", 1, is_root() ? 0 : PART, is_root() ? (size - 1) * PART : 0,
         MPI_Gather(is_root() ? MPI_IN_PLACE : out, N, MPI_INT, in, N, MPI_INT, root, world));
    CASE("Gatherv in place", 1, is_root() ? 0 : own, is_root() ? triangle(size) - own : 0,
         MPI_Gatherv(is_root() ? MPI_IN_PLACE : out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root,
                     world));
    CASE("Scatter in place", 1, is_root() ? (size - 1) * PART : 0, is_root() ? 0 : PART,
         MPI_Scatter(out, N, MPI_INT, is_root() ? MPI_IN_PLACE : in, N, MPI_INT, root, world));
    CASE("Scatterv in place", 1, is_root() ? triangle(size) - own : 0, is_root() ? 0 : own,
         MPI_Scatterv(out, counts, places, MPI_INT, is_root() ? MPI_IN_PLACE : in, counts[rank], MPI_INT,
                      root, world));
}

static void reductions(void) {
    CASE("Allreduce in place", 1, PART, PART, MPI_Allreduce(MPI_IN_PLACE, in, N, MPI_INT, MPI_SUM, world));
    CASE("Reduce_scatter in place", 1, triangle(size), own,
         MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, world));
    CASE("Reduce_local, not communication", 0, 0, 0, MPI_Reduce_local(out, in, N, MPI_INT, MPI_SUM));
}

static void all_to_all(void) {
    int same[MAX];
    for (int r = 0; r < MAX; r++)
        same[r] = N;
    CASE("Allgather in place", 1, PART, (size - 1) * PART,
         MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, N, MPI_INT, world));
    CASE("Allgatherv in place", 1, own, triangle(size) - own,
         MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, world));
    CASE("Alltoall in place", 1, (size - 1) * PART, (size - 1) * PART,
         MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, N, MPI_INT, world));
    CASE("Alltoallv in place", 1, (size - 1) * PART, (size - 1) * PART,
         MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, same, places, MPI_INT, world));
}

/* Two groups: the lower ranks and the others. */
static void between_groups(void) {
    int lower = size / 2, is_lower = rank < lower;
    int others = is_lower ? size - lower : lower, here = size - others;
    int group_root = is_lower ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0; /* rank 0 of the lower ones */
    MPI_Comm group, inter;
    MPI_Comm_split(world, is_lower, rank, &group);
    MPI_Intercomm_create(group, 0, world, is_lower ? lower : 0, 1, &inter);
    CASE("Bcast between groups", 1, group_root == MPI_ROOT ? PART : 0, is_lower ? 0 : PART,
         MPI_Bcast(out, N, MPI_INT, group_root, inter));
    CASE("Reduce between groups", 1, is_lower ? 0 : PART, group_root == MPI_ROOT ? PART : 0,
         MPI_Reduce(out, in, N, MPI_INT, MPI_SUM, group_root, inter));
    CASE("Gather between groups", 1, is_lower ? 0 : PART, group_root == MPI_ROOT ? others * PART : 0,
         MPI_Gather(out, N, MPI_INT, in, N, MPI_INT, group_root, inter));
    CASE("Gatherv between groups", 1, is_lower ? 0 : (rank - lower + 1) * 4,
         group_root == MPI_ROOT ? triangle(others) : 0,
         MPI_Gatherv(out, is_lower ? 0 : rank - lower + 1, MPI_INT, in, counts, places, MPI_INT, group_root,
                     inter));
    CASE("Scatter between groups", 1, group_root == MPI_ROOT ? others * PART : 0, is_lower ? 0 : PART,
         MPI_Scatter(out, N, MPI_INT, in, N, MPI_INT, group_root, inter));
    CASE("Allreduce between groups", 1, PART, PART, MPI_Allreduce(out, in, N, MPI_INT, MPI_SUM, inter));
    CASE("Allgather between groups", 1, PART, others * PART,
         MPI_Allgather(out, N, MPI_INT, in, N, MPI_INT, inter));
    CASE("Alltoall between groups", 1, others * PART, others * PART,
         MPI_Alltoall(out, N, MPI_INT, in, N, MPI_INT, inter));
    int share = N * others; /* both groups scatter the same number of ints */
    CASE("Reduce_scatter_block between groups", 1, here * share * 4, share * 4,
         MPI_Reduce_scatter_block(out, in, share, MPI_INT, MPI_SUM, inter));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&group);
}

/* Ranks in a line: those at its ends have one neighbour; a single rank has none. */
static void line(void) {
    int neighbours = (rank > 0) + (rank < size - 1), periodic = 0;
    int two[2] = {1, 2}, from[2] = {0, 1};
    int sum = (rank > 0 ? 1 : 0) + (rank < size - 1 ? 2 : 0);
    MPI_Comm grid;
    MPI_Cart_create(world, 1, &size, &periodic, 0, &grid);
    CASE("Neighbor_allgather on a line", 1, neighbours ? PART : 0, neighbours * PART,
         MPI_Neighbor_allgather(out, N, MPI_INT, in, N, MPI_INT, grid));
    CASE("Neighbor_alltoall on a line", 1, neighbours * PART, neighbours * PART,
         MPI_Neighbor_alltoall(out, N, MPI_INT, in, N, MPI_INT, grid));
    /* Each rank sends one int to its lower neighbour, and two to its upper one; so it receives two and one. */
    int reversed[2] = {2, 1}, from_reversed[2] = {0, 2};
    int got = (rank > 0 ? 2 : 0) + (rank < size - 1 ? 1 : 0);
    CASE("Neighbor_alltoallv on a line", 1, sum * 4, got * 4,
         MPI_Neighbor_alltoallv(out, two, from, MPI_INT, in, reversed, from_reversed, MPI_INT, grid));
    MPI_Comm_free(&grid);
}

/* Each rank sends to the next one, and receives from the one before. */
static void directed_ring(void) {
    int before = (rank + size - 1) % size, after = (rank + 1) % size, weight = 1;
    MPI_Comm ring;
    MPI_Request r;
    MPI_Dist_graph_create_adjacent(world, 1, &before, &weight, 1, &after, &weight, MPI_INFO_NULL, 0, &ring);
    CASE("Neighbor_alltoall on a ring", 1, PART, PART,
         MPI_Neighbor_alltoall(out, N, MPI_INT, in, N, MPI_INT, ring));
    CASE("Ineighbor_allgather on a ring", 2, PART, PART,
         MPI_Ineighbor_allgather(out, N, MPI_INT, in, N, MPI_INT, ring, &r);
         MPI_Wait(&r, MPI_STATUS_IGNORE));
    MPI_Comm_free(&ring);
}

#if MPI_VERSION >= 4
static void of_mpi_4(void) {
    MPI_Request r;
    CASE("Allreduce_init", 1, 0, 0,
         MPI_Allreduce_init(out, in, N, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &r));
    for (int round = 0; round < 3; round++) {
        CASE("Start of Allreduce_init", 1, PART, PART, MPI_Start(&r));
        CASE("Wait for Allreduce_init", 1, 0, 0, MPI_Wait(&r, MPI_STATUS_IGNORE));
    }
    MPI_Request_free(&r);
}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    root = size - 1;
    prepare();
    open_cases(rank);
    rooted();
    reductions();
    all_to_all();
    if (size > 1)
        between_groups();
    line();
    directed_ring();
#if MPI_VERSION >= 4
    of_mpi_4();
#endif
    close_cases();
    MPI_Finalize();
    return 0;
}
