/* Every one-sided function, around a ring of any size, each rank perhaps its own neighbour. */
#include "case.h"

#include <mpi.h>
#include <string.h>

#define N 10
#define BYTES (N * (int)sizeof(int))

static int rank, size, left, right;
static int out[4 * N], in[4 * N], *shared;
static const MPI_Comm ring = MPI_COMM_WORLD;
static MPI_Win win;

static void transfers(void) {
    MPI_Win_fence(0, win);
    CASE("Put", 1, BYTES, 0, MPI_Put(out, N, MPI_INT, right, 0, N, MPI_INT, win));
    CASE("Put to none", 1, 0, 0, MPI_Put(out, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win));
    CASE("Win_fence", 1, 0, 0, MPI_Win_fence(0, win));
    CASE("Get", 1, 0, BYTES, MPI_Get(in, N, MPI_INT, right, 0, N, MPI_INT, win));
    CASE("Get from none", 1, 0, 0, MPI_Get(in, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win));
    MPI_Win_fence(0, win);
    CASE("Accumulate", 1, BYTES, 0, MPI_Accumulate(out, N, MPI_INT, right, 0, N, MPI_INT, MPI_SUM, win));
    CASE("Accumulate to none", 1, 0, 0,
         MPI_Accumulate(out, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, MPI_SUM, win));
    MPI_Win_fence(0, win);
}

static void atomics(void) {
    int one = 1, none = 0, before;
    MPI_Win_fence(0, win);
    CASE("Get_accumulate", 1, BYTES, BYTES,
         MPI_Get_accumulate(out, N, MPI_INT, in, N, MPI_INT, right, 0, N, MPI_INT, MPI_SUM, win));
    CASE("Get_accumulate without an operation", 1, 0, BYTES,
         MPI_Get_accumulate(NULL, 0, MPI_INT, in, N, MPI_INT, right, 0, N, MPI_INT, MPI_NO_OP, win));
    CASE("Get_accumulate with none", 1, 0, 0,
         MPI_Get_accumulate(out, N, MPI_INT, in, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, MPI_SUM, win));
    MPI_Win_fence(0, win);
    CASE("Fetch_and_op", 1, 4, 4, MPI_Fetch_and_op(&one, &before, MPI_INT, right, 0, MPI_SUM, win));
    MPI_Win_fence(0, win);
    CASE("Fetch_and_op without an operation", 1, 0, 4,
         MPI_Fetch_and_op(NULL, &before, MPI_INT, right, 0, MPI_NO_OP, win));
    CASE("Fetch_and_op with none", 1, 0, 0,
         MPI_Fetch_and_op(&one, &before, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win));
    MPI_Win_fence(0, win);
    CASE("Compare_and_swap", 1, 4, 4, MPI_Compare_and_swap(&one, &none, &before, MPI_INT, right, 0, win));
    CASE("Compare_and_swap with none", 1, 0, 0,
         MPI_Compare_and_swap(&one, &none, &before, MPI_INT, MPI_PROC_NULL, 0, win));
    MPI_Win_fence(0, win);
}

/* What the origin's arguments describe counts, whatever the target's look like. */
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
    CASE("Win_flush", 1, 0, 0, MPI_Win_flush(right, win));
    CASE("Rget", 1, 0, BYTES, MPI_Rget(in, N, MPI_INT, right, 0, N, MPI_INT, win, &requests[0]));
    CASE("Raccumulate", 1, BYTES, 0,
         MPI_Raccumulate(out, N, MPI_INT, right, N, N, MPI_INT, MPI_SUM, win, &requests[1]));
    CASE("Waitall for Rget and Raccumulate", 1, 0, 0, MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CASE("Rget_accumulate", 1, BYTES, BYTES,
         MPI_Rget_accumulate(out, N, MPI_INT, in, N, MPI_INT, right, N, N, MPI_INT, MPI_SUM, win, &requests[0]));
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CASE("Rput to none", 2, 0, 0,
         MPI_Rput(out, N, MPI_INT, MPI_PROC_NULL, 0, N, MPI_INT, win, &requests[0]);
         MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CASE("Win_flush_all", 1, 0, 0, MPI_Win_flush_all(win));
    CASE("Win_flush_local", 1, 0, 0, MPI_Win_flush_local(right, win));
    CASE("Win_flush_local_all", 1, 0, 0, MPI_Win_flush_local_all(win));
    CASE("Win_sync", 1, 0, 0, MPI_Win_sync(win));
    CASE("Win_unlock_all", 1, 0, 0, MPI_Win_unlock_all(win));
    MPI_Barrier(ring);
    CASE("Win_lock", 1, 0, 0, MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    MPI_Get(in, N, MPI_INT, right, 0, N, MPI_INT, win);
    CASE("Win_unlock", 1, 0, 0, MPI_Win_unlock(right, win));
    MPI_Barrier(ring);
}

/* Each rank is a target of the one before it. */
static void posts(void) {
    MPI_Group all, before, after;
    int flag = 0, tries = 0;
    MPI_Comm_group(ring, &all);
    MPI_Group_incl(all, 1, &left, &before);
    MPI_Group_incl(all, 1, &right, &after);
    CASE("Win_post", 1, 0, 0, MPI_Win_post(before, 0, win));
    CASE("Win_start", 1, 0, 0, MPI_Win_start(after, 0, win));
    CASE("Put after Win_start", 1, BYTES, 0, MPI_Put(out, N, MPI_INT, right, 0, N, MPI_INT, win));
    CASE("Win_complete", 1, 0, 0, MPI_Win_complete(win));
    CASE("Win_wait", 1, 0, 0, MPI_Win_wait(win));
    MPI_Win_post(before, 0, win);
    MPI_Win_start(after, 0, win);
    MPI_Win_complete(win);
    CASE(
        "Win_test", tries, 0, 0, while (!flag) {
            MPI_Win_test(win, &flag);
            tries++;
        });
    MPI_Group_free(&all);
    MPI_Group_free(&before);
    MPI_Group_free(&after);
}

static void windows(void) {
    static int memory[2 * N];
    MPI_Win other;
    MPI_Info info;
    int *data;
    CASE("Win_allocate_shared", 1, 0, 0,
         MPI_Win_allocate_shared(sizeof memory, sizeof(int), MPI_INFO_NULL, ring, &data, &other));
    MPI_Info_create(&info);
    CASE("Win_set_info", 1, 0, 0, MPI_Win_set_info(other, info));
    MPI_Info_free(&info);
    CASE("Win_free", 1, 0, 0, MPI_Win_free(&other));
#ifdef OPEN_MPI
    if (size == 1) /* cannot make the others for a rank alone */
        return;
#endif
    CASE("Win_create", 1, 0, 0,
         MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, ring, &other));
    MPI_Win_free(&other);
    CASE("Win_create_dynamic", 1, 0, 0, MPI_Win_create_dynamic(MPI_INFO_NULL, ring, &other));
    CASE("Win_attach", 1, 0, 0, MPI_Win_attach(other, memory, sizeof memory));
    CASE("Win_detach", 1, 0, 0, MPI_Win_detach(other, memory));
    MPI_Win_free(&other);
}

#if MPI_VERSION >= 4
static void of_mpi_4(void) {
    MPI_Win_fence(0, win);
    CASE("Put_c", 1, BYTES, 0, MPI_Put_c(out, N, MPI_INT, right, 0, N, MPI_INT, win));
    MPI_Win_fence(0, win);
    CASE("Get_c", 1, 0, BYTES, MPI_Get_c(in, N, MPI_INT, right, 0, N, MPI_INT, win));
    CASE("Get_accumulate_c", 1, BYTES, BYTES,
         MPI_Get_accumulate_c(out, N, MPI_INT, in, N, MPI_INT, right, 0, N, MPI_INT, MPI_SUM, win));
    MPI_Win_fence(0, win);
}
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    open_cases(rank);
    windows();
    CASE("Win_allocate", 1, 0, 0,
         MPI_Win_allocate(4 * BYTES, sizeof(int), MPI_INFO_NULL, ring, &shared, &win));
    memset(shared, 0, 4 * BYTES);
    transfers();
    atomics();
    types();
    with_requests();
    posts();
#if MPI_VERSION >= 4
    of_mpi_4();
#endif
    MPI_Win_free(&win);
    close_cases();
    MPI_Finalize();
    return 0;
}
