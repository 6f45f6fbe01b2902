/* One-sided functions with MPI_PROC_NULL, MPI_NO_OP, types and requests; the tests in conformance/ check each function
 * in its simplest use. Ranks are in a ring of any size; a single rank is its own neighbour. */
#include "case.h"

#include <mpi.h>
#include <string.h>

#define N 10
#define BYTES (N * (int)sizeof(int))

static int rank, size, right;
static int out[4 * N], in[4 * N], *shared;
static const MPI_Comm ring = MPI_COMM_WORLD;
static MPI_Win win;

static void transfers(void) {
    MPI_Win_fence(0, win);
    CASE("Put", 1, BYTES, 0, MPI_Put(out, N, MPI_INT, right, 0, N, MPI_INT, win));
    CASE("Win_fence", 1, 0, 0, MPI_Win_fence(0, win));
    CASE("Get from none", 1, 0, 0, MPI_Get(in, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win));
    MPI_Win_fence(0, win);
    CASE("Accumulate to none", 1, 0, 0,
         MPI_Accumulate(out, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, MPI_SUM, win));
    MPI_Win_fence(0, win);
}

static void atomics(void) {
    int one = 1, none = 0, before;
    MPI_Win_fence(0, win);
    CASE("Get_accumulate without an operation", 1, 0, BYTES,
         MPI_Get_accumulate(NULL, 0, MPI_INT, in, N, MPI_INT, right, 0, N, MPI_INT, MPI_NO_OP, win));
    CASE("Get_accumulate with none", 1, 0, 0,
         MPI_Get_accumulate(out, N, MPI_INT, in, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, MPI_SUM, win));
    CASE("Fetch_and_op with none", 1, 0, 0,
         MPI_Fetch_and_op(&one, &before, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win));
    CASE("Compare_and_swap with none", 1, 0, 0,
         MPI_Compare_and_swap(&one, &none, &before, MPI_INT, MPI_PROC_NULL, 0, win));
    MPI_Win_fence(0, win);
}

/* The bytes that the arguments for the origin describe count, whatever those for the target are. */
static void types(void) {
    static double strided[2 * N];
    MPI_Datatype every_second;
    MPI_Type_vector(N / 2, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Win_fence(0, win);
    CASE("Put of a vector type", 1, 8 * N / 2, 0,
         MPI_Put(strided, 1, every_second, right, 0, N / 2, MPI_DOUBLE, win));
    MPI_Win_fence(0, win);
    CASE("Get into a vector type", 1, 0, 8 * N / 2,
         MPI_Get(strided, 1, every_second, right, 0, N / 2, MPI_DOUBLE, win));
    MPI_Win_fence(0, win);
    MPI_Type_free(&every_second);
}

static void with_requests(void) {
    MPI_Request requests[2];
    CASE("Win_lock_all", 1, 0, 0, MPI_Win_lock_all(0, win));
    CASE("Rput", 1, BYTES, 0, MPI_Rput(out, N, MPI_INT, right, 0, N, MPI_INT, win, &requests[0]));
    CASE("Wait for Rput", 1, 0, 0, MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CASE("Rget", 1, 0, BYTES, MPI_Rget(in, N, MPI_INT, right, 0, N, MPI_INT, win, &requests[0]));
    CASE("Raccumulate", 1, BYTES, 0,
         MPI_Raccumulate(out, N, MPI_INT, right, N, N, MPI_INT, MPI_SUM, win, &requests[1]));
    CASE("Waitall for Rget and Raccumulate", 1, 0, 0, MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CASE("Rput to none", 2, 0, 0, MPI_Rput(out, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win, &requests[0]);
         MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CASE("Win_unlock_all", 1, 0, 0, MPI_Win_unlock_all(win));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    right = (rank + 1) % size;
    open_cases(rank);
    CASE("Win_allocate", 1, 0, 0,
         MPI_Win_allocate(4 * BYTES, sizeof(int), MPI_INFO_NULL, ring, &shared, &win));
    memset(shared, 0, 4 * BYTES);
    transfers();
    atomics();
    types();
    with_requests();
    MPI_Win_free(&win);
    close_cases();
    MPI_Finalize();
    return 0;
}
