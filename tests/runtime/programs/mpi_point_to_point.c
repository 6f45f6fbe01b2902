/* Point-to-point communication with too large and too small buffers, ignored statuses, MPI_PROC_NULL, and many
 * requests; the tests in conformance/ check each function in its simplest use. Ranks are in a ring of any size; a
 * single rank is its own neighbour. */
#include "case.h"

#include <mpi.h>
#include <string.h>

#define N 10
#define BYTES (N * (int)sizeof(int))
#define MANY 100

static int rank, size, left, right;
static int out[MANY * N], in[MANY * N]; /* far larger than what arrives */
static const MPI_Comm ring = MPI_COMM_WORLD;

/* Posts a number of receives with buffers twice as large as necessary, and as many sends. */
static void post(int number, MPI_Request *requests) {
    for (int i = 0; i < number; i++)
        MPI_Irecv(in + i * N, 2 * N, MPI_INT, left, i, ring, &requests[i]);
    for (int i = 0; i < number; i++)
        MPI_Isend(out, N, MPI_INT, right, i, ring, &requests[number + i]);
}

static void one_by_one(void) {
    MPI_Request request;
    static char buffer[4096];
    void *detached;
    int detached_size;

    CASE("Irecv", 1, 0, 0, MPI_Irecv(in, MANY * N, MPI_INT, left, 1, ring, &request));
    CASE("Send", 1, BYTES, 0, MPI_Send(out, N, MPI_INT, right, 1, ring));
    CASE("Wait, status ignored", 1, 0, BYTES, MPI_Wait(&request, MPI_STATUS_IGNORE));
    CASE("Wait for nothing", 1, 0, 0, MPI_Wait(&request, MPI_STATUS_IGNORE));

    MPI_Irecv(in, MANY * N, MPI_INT, left, 3, ring, &request);
    MPI_Send(out, N, MPI_INT, right, 3, ring);
    MPI_Status status;
    CASE("Wait, status wanted", 1, 0, BYTES, MPI_Wait(&request, &status));

    MPI_Buffer_attach(buffer, sizeof buffer);
    CASE("Bsend", 1, BYTES, 0, MPI_Bsend(out, N, MPI_INT, right, 4, ring));
    CASE("Recv", 1, 0, BYTES, MPI_Recv(in, MANY * N, MPI_INT, left, 4, ring, &status));
    MPI_Ibsend(out, N, MPI_INT, right, 5, ring, &request);
    CASE("Recv from any, status ignored", 1, 0, BYTES,
         MPI_Recv(in, MANY * N, MPI_BYTE, MPI_ANY_SOURCE, 5, ring, MPI_STATUS_IGNORE));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&detached, &detached_size);
}

static void nonblocking_sends(void) {
    MPI_Request requests[4];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(in + i * N, N, MPI_INT, left, 10 + i, ring, &requests[i]);
    CASE("Isend", 2, 2 * BYTES, 0, MPI_Isend(out, N, MPI_INT, right, 10, ring, &requests[2]);
         MPI_Issend(out, N, MPI_INT, right, 11, ring, &requests[3]));
    CASE("Waitall", 1, 0, 2 * BYTES, MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    CASE("Waitall for nothing", 1, 0, 0, MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
}

static void both_ways(void) {
    CASE("Sendrecv", 1, BYTES, BYTES,
         MPI_Sendrecv(out, N, MPI_INT, right, 1, in, MANY, MPI_INT, left, 1, ring, MPI_STATUS_IGNORE));
    CASE("Sendrecv_replace", 1, BYTES, BYTES,
         MPI_Sendrecv_replace(out, N, MPI_INT, right, 1, left, 1, ring, MPI_STATUS_IGNORE));
    CASE("Sendrecv to none", 1, 0, 0,
         MPI_Sendrecv(out, N, MPI_INT, MPI_PROC_NULL, 1, in, N, MPI_INT, MPI_PROC_NULL, 1, ring,
                      MPI_STATUS_IGNORE));
}

static void none(void) {
    MPI_Request requests[2];
    CASE("Send to none", 1, 0, 0, MPI_Send(out, N, MPI_INT, MPI_PROC_NULL, 1, ring));
    CASE("Recv from none", 1, 0, 0, MPI_Recv(in, N, MPI_INT, MPI_PROC_NULL, 1, ring, MPI_STATUS_IGNORE));
    CASE("Isend and Irecv with none", 3, 0, 0,
         MPI_Irecv(in, N, MPI_INT, MPI_PROC_NULL, 1, ring, &requests[0]);
         MPI_Isend(out, N, MPI_INT, MPI_PROC_NULL, 1, ring, &requests[1]);
         MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CASE("Nothing, sent", 2, 0, 0, MPI_Isend(out, 0, MPI_INT, right, 2, ring, &requests[0]);
         MPI_Recv(in, 0, MPI_INT, left, 2, ring, MPI_STATUS_IGNORE));
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void types(void) {
    MPI_Datatype every_second, pair;
    MPI_Request request;
    MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    static double strided[2 * N];
    CASE("Vector type", 1, 8 * N, 0, MPI_Isend(strided, 1, every_second, right, 1, ring, &request));
    CASE("Vector type, as doubles", 1, 0, 8 * N,
         MPI_Recv(in, 2 * N, MPI_DOUBLE, left, 1, ring, MPI_STATUS_IGNORE));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* Three ints are one and a half pairs: the count of pairs is undefined, the bytes are not. */
    MPI_Isend(out, 3, MPI_INT, right, 2, ring, &request);
    CASE("Half a type", 1, 0, 12, MPI_Recv(in, N, pair, left, 2, ring, MPI_STATUS_IGNORE));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(strided, 1, every_second, left, 3, ring, &request);
    MPI_Type_free(&every_second); /* before the receive completes */
    MPI_Send(out, 2 * N, MPI_INT, right, 3, ring);
    CASE("Type freed before", 1, 0, 8 * N, MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Type_free(&pair);
}

static void probes(void) {
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Isend(out, N, MPI_INT, right, 1, ring, &request);
    CASE("Mprobe", 1, 0, 0, MPI_Mprobe(left, 1, ring, &message, &status));
    CASE("Mrecv", 1, 0, BYTES, MPI_Mrecv(in, MANY, MPI_INT, &message, MPI_STATUS_IGNORE));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, N, MPI_INT, right, 2, ring, &request);
    MPI_Mprobe(left, 2, ring, &message, &status);
    MPI_Request receive;
    CASE("Imrecv", 1, 0, 0, MPI_Imrecv(in, MANY, MPI_INT, &message, &receive));
    CASE("Wait after Imrecv", 1, 0, BYTES, MPI_Wait(&receive, MPI_STATUS_IGNORE));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* More requests than the wrappers store on their stack; the receives' buffers are twice as large as necessary. */
static void many(void) {
    static MPI_Request requests[2 * MANY];
    static MPI_Status statuses[2 * MANY];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            MPI_Irecv(in, 2 * N, MPI_INT, left, i, ring, &requests[i]);
        CASE("Many Isend", MANY, MANY * BYTES, 0,
             for (int i = 0; i < MANY; i++) MPI_Isend(out, N, MPI_INT, right, i, ring, &requests[MANY + i]));
        if (round == 0)
            CASE("Many, statuses ignored", 1, 0, MANY * BYTES,
                 MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE));
        else
            CASE("Many, statuses wanted", 1, 0, MANY * BYTES, MPI_Waitall(2 * MANY, requests, statuses));
    }
}

static void one_of_several(void) {
    MPI_Request requests[8];
    int index, flag, done, indices[8], calls;
    post(4, requests);
    CASE("Waitany", 8, 0, 4 * BYTES,
         for (int i = 0; i < 8; i++) MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE));
    CASE("Waitany of nothing", 1, 0, 0, MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE));

    post(4, requests);
    calls = 0;
    CASE(
        "Waitsome", calls, 0, 4 * BYTES, for (int left_over = 8; left_over > 0; left_over -= done) {
            MPI_Waitsome(8, requests, &done, indices, MPI_STATUSES_IGNORE);
            calls++;
        });
    CASE("Waitsome of nothing", 1, 0, 0, MPI_Waitsome(8, requests, &done, indices, MPI_STATUSES_IGNORE));

    post(2, requests);
    calls = 0;
    CASE(
        "Testany", calls, 0, 2 * BYTES, for (int completed = 0; completed < 4; completed += flag != 0) {
            MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
            calls += flag != 0;
        });

    post(2, requests);
    calls = 0;
    CASE(
        "Testsome", calls, 0, 2 * BYTES, for (int completed = 0; completed < 4; completed += done) {
            MPI_Testsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
            calls += done != 0;
        });

    post(1, requests);
    flag = 0;
    CASE("Testall", 1, 0, BYTES, while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));

    post(1, requests);
    flag = 0;
    CASE("Test", 1, 0, BYTES, while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void nothing_yet(void) {
    MPI_Request late;
    int found, index, indices[1];
    MPI_Irecv(in, N, MPI_INT, left, 3, ring, &late);
    CASE("Tests that find nothing", 0, 0, 0, MPI_Test(&late, &found, MPI_STATUS_IGNORE);
         MPI_Testany(1, &late, &index, &found, MPI_STATUS_IGNORE);
         MPI_Testall(1, &late, &found, MPI_STATUSES_IGNORE);
         MPI_Testsome(1, &late, &found, indices, MPI_STATUSES_IGNORE);
         MPI_Request_get_status(late, &found, MPI_STATUS_IGNORE));
    CASE("Probes that find nothing", 0, 0, 0, MPI_Iprobe(left, 4, ring, &found, MPI_STATUS_IGNORE));
    MPI_Cancel(&late);
    MPI_Wait(&late, MPI_STATUS_IGNORE);
}

static void persistent(void) {
    MPI_Request requests[2];
    CASE("Recv_init", 1, 0, 0, MPI_Recv_init(in, 2 * N, MPI_INT, left, 1, ring, &requests[0]));
    CASE("Send_init", 1, 0, 0, MPI_Send_init(out, N, MPI_INT, right, 1, ring, &requests[1]));
    CASE("Wait, inactive", 2, 0, 0, MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
         MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    for (int round = 0; round < 3; round++) {
        if (round < 2)
            CASE("Startall", 1, BYTES, 0, MPI_Startall(2, requests));
        else
            CASE("Start", 2, BYTES, 0, MPI_Start(&requests[0]); MPI_Start(&requests[1]));
        CASE("Waitall, persistent", 1, 0, BYTES, MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    CASE("Request_free, inactive", 2, 0, 0, MPI_Request_free(&requests[0]); MPI_Request_free(&requests[1]));
}

static void given_up(void) {
    MPI_Request request;
    MPI_Status status;
    int cancelled = 0;
    MPI_Irecv(in, N, MPI_INT, left, 77, ring, &request);
    CASE("Cancel", 1, 0, 0, MPI_Cancel(&request));
    CASE("Wait, cancelled", 1, 0, 0, MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &cancelled);
    if (!cancelled)
        abort();
    /* The handle is used again for a request that is not cancelled. */
    MPI_Irecv(in, N, MPI_INT, left, 78, ring, &request);
    MPI_Send(out, N, MPI_INT, right, 78, ring);
    CASE("Wait after a cancelled one", 1, 0, BYTES, MPI_Wait(&request, &status));
    MPI_Irecv(in, N, MPI_INT, left, 79, ring, &request);
    CASE("Request_free, active", 1, 0, 0, MPI_Request_free(&request));
    MPI_Send(out, N, MPI_INT, right, 79, ring);
    MPI_Barrier(ring);
}

/* The receives' buffers are too small. */
static void truncated(void) {
    MPI_Request requests[2];
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    MPI_Irecv(in, 1, MPI_INT, left, 80, ring, &requests[0]);
    MPI_Isend(out, N, MPI_INT, right, 80, ring, &requests[1]);
    CASE("Wait, failed", 0, 0, 0, if (MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS) abort());
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    open_cases(rank);
    one_by_one();
    nonblocking_sends();
    both_ways();
    none();
    types();
    probes();
    many();
    one_of_several();
    nothing_yet();
    persistent();
    given_up();
    if (size > 1) /* if a rank sends to itself, Open MPI reports success */
        truncated();
    close_cases();
    MPI_Finalize();
    return 0;
}
