/*
 * Point-to-point messages whose number and bytes are known for each pair of ranks: on MPI_COMM_WORLD, a reversed
 * communicator, communicators that reuse the handle of a freed one, and an intercommunicator. Rank 0 prints nothing;
 * the test knows the matrix. With an argument, each rank then ends without MPI_Finalize.
 */
#include <mpi.h>
#include <signal.h>

#define NOBODY MPI_PROC_NULL

static int rank, size, next, before;
static int out[64], in[64];
static MPI_Request requests[4];
static const MPI_Comm world = MPI_COMM_WORLD;

/* Each rank sends 7 messages with 1 to 7 integers to the next rank. */
static void in_all_ways(void) {
    MPI_Irecv(in, 64, MPI_INT, before, 1, world, &requests[0]);
    MPI_Send(out, 1, MPI_INT, next, 1, world);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in, 64, MPI_INT, MPI_ANY_SOURCE, 2, world, &requests[0]);
    MPI_Ssend(out, 2, MPI_INT, next, 2, world);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in, 64, MPI_INT, before, 3, world, &requests[0]);
    MPI_Isend(out, 3, MPI_INT, next, 3, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, 4, MPI_INT, next, 4, in, 64, MPI_INT, before, 4, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(in, 5, MPI_INT, next, 5, before, 5, world, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 64, MPI_INT, before, 6, world, &requests[0]);
    MPI_Issend(out, 6, MPI_INT, next, 6, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, 64, MPI_INT, before, 7, world, &requests[0]);
    MPI_Isend(out, 7, MPI_INT, next, 7, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* 3 messages of 8 integers to the next rank, 2 messages of 9 integers to the rank before it; 1 is never started. */
static void persistent(void) {
    MPI_Request unused;
    MPI_Send_init(out, 8, MPI_INT, next, 8, world, &requests[0]);
    MPI_Recv_init(in, 64, MPI_INT, before, 8, world, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Ssend_init(out, 9, MPI_INT, before, 9, world, &requests[0]);
    MPI_Send_init(out, 9, MPI_INT, before, 9, world, &unused);
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(in, 64, MPI_INT, next, 9, world, &requests[1]);
        MPI_Start(&requests[0]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&unused);
}

/* No message at all. */
static void to_nobody(void) {
    MPI_Send(out, 10, MPI_INT, NOBODY, 1, world);
    MPI_Isend(out, 10, MPI_INT, NOBODY, 1, world, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 10, MPI_INT, NOBODY, 1, in, 64, MPI_INT, NOBODY, 1, world, MPI_STATUS_IGNORE);
    MPI_Send_init(out, 10, MPI_INT, NOBODY, 1, world, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
}

/* Member 0 of a communicator sends a message to its last member. */
static void first_to_last(MPI_Comm comm, int bytes) {
    int me, members;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &members);
    if (me == 0)
        MPI_Send(out, bytes, MPI_BYTE, members - 1, 1, comm);
    if (me == members - 1)
        MPI_Recv(in, 256, MPI_BYTE, 0, 1, comm, MPI_STATUS_IGNORE);
}

/* Communicators that are freed at once, so that the library may reuse their handles: in turn, in the order of
 * MPI_COMM_WORLD, and reversed. 100 bytes, 3 times, and 11 bytes, 3 times. */
static void communicators(void) {
    for (int i = 0; i < 6; i++) {
        MPI_Comm comm;
        MPI_Comm_split(world, 0, i % 2 ? -rank : rank, &comm);
        first_to_last(comm, i % 2 ? 11 : 100);
        MPI_Comm_free(&comm);
    }
}

/* The even and the odd ranks: each rank sends 20 bytes to the rank with the same number in the other group. */
static void between_groups(void) {
    MPI_Comm half, both;
    MPI_Comm_split(world, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, world, 1 - rank % 2, 1, &both);
    MPI_Sendrecv(out, 20, MPI_BYTE, rank / 2, 1, in, 64, MPI_BYTE, rank / 2, 1, both, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    in_all_ways();
    persistent();
    to_nobody();
    communicators();
    between_groups();
    MPI_Barrier(world);
    if (argc > 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
