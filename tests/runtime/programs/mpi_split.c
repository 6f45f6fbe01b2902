/*
 * Cases for the barrier that the library inserts before collectives: a late rank; communicators that are made in every
 * way, with one member, between groups, of neighbours; two threads at once, each with its own communicator; collectives
 * that fail; a program without collectives.
 */
#include "case.h"

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#define LATE 1000000 /* microseconds */

static int rank, size, sum;

/* The last rank is late, counted from when the first rank is about to wait, which a busy machine may delay. */
static void late(void) {
    if (rank == 0)
        MPI_Send(NULL, 0, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
    if (rank == size - 1) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(LATE);
    }
}

static int all(MPI_Comm comm) {
    int one = 1, found = 0;
    MPI_Allreduce(&one, &found, 1, MPI_INT, MPI_SUM, comm);
    return found;
}

/* Calls all() on the communicator that a statement makes. */
#define MADE(name, ...)                                                                                      \
    do {                                                                                                     \
        MPI_Comm comm = MPI_COMM_NULL;                                                                       \
        __VA_ARGS__;                                                                                         \
        CASE(name, 1, 4, 4, sum = sum * 7 % 1000 + all(comm));                                               \
        MPI_Comm_free(&comm);                                                                                \
    } while (0)

static void made(void) {
    MPI_Group group;
    MPI_Request request;
    int periodic = 1, kept = 1, one = 1, left = (rank + size - 1) % size, right = (rank + 1) % size;
    MADE("split dup", MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MADE("split idup", MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request); MPI_Wait(&request, MPI_STATUS_IGNORE));
    MADE("split split", MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comm));
    MADE("split dup of split", MPI_Comm half; MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &half);
         MPI_Comm_dup(half, &comm); MPI_Comm_free(&half));
    MADE("split shared", MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MADE("split create", MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    MADE("split create group", MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm));
    MPI_Group_free(&group);
    MADE("split cart", MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm));
    MADE("split cart sub", MPI_Comm cart; MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &cart);
         MPI_Cart_sub(cart, &kept, &comm); MPI_Comm_free(&cart));
    MADE("split graph", MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &one, 1, &right, &one,
                                                       MPI_INFO_NULL, 0, &comm));
    MADE("whole alone", MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm));
}

/* Two halves, their intercommunicator, and the communicator that is merged from it. */
static void between_groups(void) {
    MPI_Comm half, inter, merged;
    int first = rank < size / 2, out = rank, in[64];
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? size / 2 : 0, 5, &inter);
    CASE("whole between groups", 1, 4, 4, MPI_Allreduce(&out, in, 1, MPI_INT, MPI_SUM, inter));
    MPI_Intercomm_merge(inter, first, &merged);
    CASE("whole merged", 1, 4, 4, sum += all(merged));
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void among_neighbours(void) {
    MPI_Comm line;
    int periodic = 0, out[2] = {rank, rank}, in[2];
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    CASE("whole among neighbours", 1, (rank > 0) * 4 + (rank < size - 1) * 4,
         (rank > 0) * 4 + (rank < size - 1) * 4, MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, line));
    MPI_Comm_free(&line);
}

static void without_blocking(void) {
    MPI_Request request;
    int one = 1, found = 0;
    CASE("whole started", 2, 4, 4, MPI_Iallreduce(&one, &found, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
         MPI_Wait(&request, MPI_STATUS_IGNORE));
    sum += found;
}

static void one_sided(void) {
    MPI_Win win;
    static int memory;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CASE("whole fences", 3, 4, 0, MPI_Win_fence(0, win);
         MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win); MPI_Win_fence(0, win));
    sum += memory;
    MPI_Win_free(&win);
}

/* A collective that MPI refuses on one rank alone, because of its communicator. */
static void refused(void) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        CASE("whole refused", 0, 0, 0, sum += MPI_Barrier(MPI_COMM_NULL) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static const char *const regions[2] = {"aa1|user|split thread 0|||0|0|0", "aa1|user|split thread 1|||0|0|0"};
static MPI_Comm comms[2];
static int sums[2];

static void *thread(void *which) {
    int own = (int)((MPI_Comm *)which - comms);
    for (int i = 0; i < 3; i++) {
        enter_region(regions[own]);
        sums[own] += all(comms[own]);
        exit_region(regions[own]);
    }
    return NULL;
}

static void threads(void) {
    pthread_t started[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 2; i++)
        pthread_create(&started[i], NULL, thread, &comms[(rank + i) % 2]); /* in another order on odd ranks */
    for (int i = 0; i < 2; i++) {
        pthread_join(started[i], NULL);
        fprintf(expectations, "split thread %d\t3\t12\t12\n", i);
    }
    sum += sums[0] + sums[1];
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comms[i]);
}

int main(int argc, char **argv) {
    int provided, value = 0, all_parts[64];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    open_cases(rank);
    late();
    CASE("split barrier", 1, 0, 0, MPI_Barrier(MPI_COMM_WORLD));
    value = rank == 0 ? 41 : 0;
    CASE("split bcast", 1, rank ? 0 : 4, rank ? 4 : 0, MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CASE("split gather", 1, 4, rank ? 0 : 4 * size,
         MPI_Gather(&value, 1, MPI_INT, all_parts, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CASE("whole self", 1, 4, 4, sum += value + all(MPI_COMM_SELF));
    made();
    between_groups();
    among_neighbours();
    without_blocking();
    one_sided();
    refused();
    if (provided == MPI_THREAD_MULTIPLE)
        threads();
    close_cases();
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
