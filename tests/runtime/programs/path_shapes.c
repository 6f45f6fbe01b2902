/*
 * Shapes of programs whose critical path is known: each function is one, between two barriers. Work is counted
 * in units, all with the same number of instructions. Comments contain the units of each rank, and the length of
 * the path. The functions before, between and after do the work before, between and after messages, so that each
 * part has its own call path.
 */
#include <fcntl.h>
#include <mpi.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef UNIT
#define UNIT 20000
#endif
#define MOST 64 /* maximum number of ranks */
#define FIFO "answered.fifo"
#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int rank, size, done;

static void compute(int units) {
    volatile double x = 1;
    for (long i = 0; i < (long)units * UNIT; i++)
        x = x * 1.0000001 + 1e-9;
}

static void work(int units) {
    done += units;
    compute(units);
}

static void before(int units) {
    work(units);
}

static void between(int units) {
    work(units);
}

static void after(int units) {
    work(units);
}

static void get(int from) {
    int token;
    MPI_Recv(&token, 1, MPI_INT, from, 7, WORLD, IGNORE);
}

static void give(int to) {
    int token = rank;
    MPI_Send(&token, 1, MPI_INT, to, 7, WORLD);
}

/* 3 rounds; work is divided, then in a chain, then on all ranks: busy 3 (2 + 1 + 1), path 3 (2 + P + 1). */
static void chain(void) {
    for (int i = 0; i < 3; i++) {
        before(2);
        if (rank > 0)
            get(rank - 1);
        between(1);
        if (rank < size - 1)
            give(rank + 1);
        MPI_Barrier(WORLD);
        after(1);
    }
}

/* Rank 1 has three times the work: path 3 * 3. */
static void one_late(void) {
    for (int i = 0; i < 3; i++) {
        before(rank == 1 ? 3 : 1);
        MPI_Barrier(WORLD);
    }
}

/* Rank 0 is late, then rank 1, equal in sum: path 2 * 4. */
static void alternating(void) {
    for (int i = 0; i < 4; i++) {
        before(rank == i % 2 ? 2 : 1);
        MPI_Barrier(WORLD);
    }
}

/* Neighbours exchange; each step, the next rank is late: path 2 * 4. */
static void neighbours(void) {
    int left = (rank + size - 1) % size, right = (rank + 1) % size, value = rank, other;
    for (int i = 0; i < 4; i++) {
        before(rank == i % size ? 2 : 1);
        MPI_Sendrecv(&value, 1, MPI_INT, right, 4, &other, 1, MPI_INT, left, 4, WORLD, IGNORE);
        MPI_Sendrecv(&value, 1, MPI_INT, left, 4, &other, 1, MPI_INT, right, 4, WORLD, IGNORE);
    }
}

/* Items pass all ranks in turn: path P + items - 1. */
static void pipeline(int items) {
    for (int i = 0; i < items; i++) {
        if (rank > 0)
            get(rank - 1);
        between(1);
        if (rank < size - 1)
            give(rank + 1);
    }
}

static void full_pipeline(void) {
    pipeline(6);
}

static void empty_pipeline(void) {
    pipeline(1);
}

/* Sweeps from a corner of a grid of two rows: path columns + 1 + sweeps - 1. */
static void wavefront(void) {
    int columns = size / 2, row = rank / columns, column = rank % columns;
    for (int i = 0; i < 3; i++) {
        if (row > 0)
            get(rank - columns);
        if (column > 0)
            get(rank - 1);
        between(1);
        if (row < 1)
            give(rank + columns);
        if (column < columns - 1)
            give(rank + 1);
    }
}

/* Ranks wait for their neighbours' messages after work of their own; rank 0 sends its messages late. */
static void overlap(int late, int meanwhile) {
    int sent[2] = {rank, rank}, received[2];
    MPI_Request requests[4];
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    before(rank == 0 ? late : 0);
    MPI_Irecv(&received[0], 1, MPI_INT, left, 1, WORLD, &requests[0]);
    MPI_Irecv(&received[1], 1, MPI_INT, right, 2, WORLD, &requests[1]);
    MPI_Isend(&sent[0], 1, MPI_INT, right, 1, WORLD, &requests[2]);
    MPI_Isend(&sent[1], 1, MPI_INT, left, 2, WORLD, &requests[3]);
    between(rank == 0 ? 0 : meanwhile);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    after(1);
}

/* 3 are hidden behind 4: path 4 + 1. */
static void hidden(void) {
    overlap(3, 4);
}

/* 1 of 3 is not hidden behind 2: path 3 + 1. */
static void exposed(void) {
    overlap(3, 2);
}

/* The root of a broadcast is late: path 3 + 1. */
static void late_root(void) {
    int value = 0;
    before(rank == 0 ? 3 : 1);
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
    after(1);
}

/* The root of a broadcast is early, and waits for no rank: path 3 + 1, and not 3 + 2. */
static void early_root(void) {
    int value = 0;
    before(rank == 0 ? 1 : rank == 1 ? 3 : 2);
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
    after(rank == 0 ? 2 : 1);
}

/* A reduction to a root, which then works and broadcasts: path 2 + 1 + 1. */
static void root_works(void) {
    int value = rank, sum = 0;
    before(rank == size - 1 ? 2 : 1);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, WORLD);
    between(rank == 0);
    MPI_Bcast(&sum, 1, MPI_INT, 0, WORLD);
    after(1);
}

/* One half has twice the work, the other is late after it: path 2 + 1 and 1 + 1. */
static void halves(void) {
    MPI_Comm half;
    int value = rank, sum;
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    before(rank % 2 ? 1 : 2);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    after(1);
    MPI_Comm_free(&half);
}

/* In a scan, each rank waits for those with lower numbers: path 3, because rank 0 has 2 before the scan. */
static void lower_ranks(void) {
    int value = rank, sum;
    before(rank == 0 ? 2 : 1);
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    after(1);
}

/* The last rank is late, and no other rank waits for it: path 3 + 1, and not 3 + 2. */
static void higher_rank(void) {
    int value = rank, sum;
    before(rank == size - 1 ? 3 : 1);
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    after(rank == size - 1 ? 1 : 2);
}

/* A non-blocking collective: the 3 units of rank 1 are not hidden behind the 1 of the others: path 3 + 1. */
static void begun(void) {
    int value = rank, sum;
    MPI_Request request;
    before(rank == 1 ? 3 : 1);
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD, &request);
    between(rank == 1 ? 0 : 1);
    MPI_Wait(&request, IGNORE);
    after(1);
}

/* Persistent requests, matched probes, receives from any source: a token goes round, path P. */
static void token(void) {
    int sent = 0, received = 0, there = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Send_init(&sent, 1, MPI_INT, (rank + 1) % size, 3, WORLD, &request);
    if (rank % 2) {
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &message, &status);
        MPI_Mrecv(&received, 1, MPI_INT, &message, IGNORE);
    } else if (rank > 0) {
        while (!there)
            MPI_Iprobe(MPI_ANY_SOURCE, 3, WORLD, &there, &status);
        MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE);
    }
    between(1);
    MPI_Start(&request);
    MPI_Wait(&request, IGNORE);
    if (rank == 0)
        MPI_Recv(&received, 1, MPI_INT, size - 1, 3, WORLD, IGNORE);
    MPI_Request_free(&request);
}

/* A master gives equal work to ranks that ask for it: path at least 2, at most all work. */
static void master(void) {
    int task, left = 2 * (size - 1), none = -1;
    MPI_Status status;
    for (int stopped = 0; rank == 0 && stopped < size - 1;) {
        MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 5, WORLD, &status);
        stopped += left == 0;
        MPI_Send(left > 0 ? &left : &none, 1, MPI_INT, status.MPI_SOURCE, 6, WORLD);
        left -= left > 0;
    }
    for (task = 0; rank > 0 && task >= 0;) {
        MPI_Sendrecv(&task, 1, MPI_INT, 0, 5, NULL, 0, MPI_INT, MPI_PROC_NULL, 6, WORLD, IGNORE);
        MPI_Recv(&task, 1, MPI_INT, 0, 6, WORLD, IGNORE);
        work(task >= 0);
    }
}

/* Communicators of the even ranks, and of each of the first two ranks alone. */
static MPI_Group even, first, second;

/* A rank is late, and does nothing afterwards: path 3 + 2 for those who wait for it, and 1 + 2 for others. */
static void until(int late) {
    before(rank == late ? 3 : 1);
}

static void since(int late) {
    after(rank == late ? 0 : 2);
}

/* A communicator is copied without blocking: path 3 + 2. */
static void copied(void) {
    MPI_Comm copy;
    MPI_Request request;
    until(1);
    MPI_Comm_idup(WORLD, &copy, &request);
    MPI_Wait(&request, IGNORE);
    since(1);
    MPI_Comm_free(&copy);
}

/* Even ranks make a communicator among them: path 3 + 2, and not 4 + 2. */
static void grouped(void) {
    MPI_Comm made;
    work(rank == 1 ? 4 : rank == 2 ? 3 : 1);
    if (rank % 2 == 0)
        MPI_Comm_create_group(WORLD, even, 9, &made);
    work(rank == 1 || rank == 2 ? 0 : 2);
    if (rank % 2 == 0)
        MPI_Comm_free(&made);
}

/* Communicators of even and odd ranks, and their intercommunicator. */
static MPI_Comm half, across;

static void connect(void) {
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, WORLD, rank % 2 ? 0 : 1, 9, &across);
}

static void disconnect(void) {
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
}

/* Two groups are connected: all ranks wait for all, path 3 + 2. */
static void connected(void) {
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    until(1);
    MPI_Intercomm_create(half, 0, WORLD, rank % 2 ? 0 : 1, 9, &across);
    since(1);
    disconnect();
}

/* Two groups become one: path 3 + 2. */
static void merged(void) {
    MPI_Comm both;
    connect();
    until(1);
    MPI_Intercomm_merge(across, rank % 2, &both);
    since(1);
    MPI_Comm_free(&both);
    disconnect();
}

/* Even ranks wait for odd ones, and these do not wait for each other: path 3 + 1, and not 3 + 2. */
static void across_all(void) {
    int value = rank, sum;
    connect();
    until(1);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, across);
    work(rank == 1 ? 0 : rank % 2 ? 2 : 1);
    disconnect();
}

/* Odd ranks wait for rank 0, and even ones do not: path 3 + 1, and not 3 + 2. */
static void across_root(void) {
    int value = rank;
    MPI_Request request;
    connect();
    until(0);
    MPI_Ibcast(&value, 1, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, across, &request);
    MPI_Wait(&request, IGNORE);
    work(rank == 0 ? 0 : rank % 2 ? 1 : 2);
    disconnect();
}

/* Only rank 1 is a neighbour of rank 0, which is late: path 3 + 1, and not 3 + 2. */
static void beside(void) {
    MPI_Comm line;
    MPI_Request request;
    int periodic = 0, received[2];
    MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &line);
    until(0);
    MPI_Ineighbor_allgather(&rank, 1, MPI_INT, received, 1, MPI_INT, line, &request);
    MPI_Wait(&request, IGNORE);
    work(rank > 1 ? 2 : rank);
    MPI_Comm_free(&line);
}

/* Two persistent collectives in turn, where the library has them: path 3 + 2 and three times 1 + 2, not four times. */
static void repeated(void) {
    int value = rank, sum;
#if MPI_VERSION >= 4
    MPI_Request requests[2];
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Bcast_init(&value, 1, MPI_INT, 1, WORLD, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 4; i++) {
        until(1);
        MPI_Start(&requests[i % 2]);
        MPI_Wait(&requests[i % 2], IGNORE);
        since(1);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#else
    for (int i = 0; i < 4; i++) {
        until(1);
        if (i % 2 == 0)
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
        else
            MPI_Bcast(&value, 1, MPI_INT, 1, WORLD);
        since(1);
    }
#endif
}

static MPI_Win window;
static int exposed_value;

static void open_window(void) {
    MPI_Win_create(&exposed_value, sizeof exposed_value, 1, MPI_INFO_NULL, WORLD, &window);
}

/* All ranks wait for all to create a window: path 3 + 2. */
static void windowed(void) {
    until(1);
    open_window();
    since(1);
    MPI_Win_free(&window);
}

/* All ranks wait for all to free a window: path 3 + 2. */
static void unwindowed(void) {
    open_window();
    until(1);
    MPI_Win_free(&window);
    since(1);
}

/* A fence on the window of the even ranks: path 3 + 2 by rank 2. Rank 1 has 4, but no rank waits for it in a fence. */
static void fenced(void) {
    MPI_Comm_split(WORLD, rank % 2 ? MPI_UNDEFINED : 0, rank, &half);
    if (rank % 2) {
        work(rank == 1 ? 4 : 3);
        return;
    }
    MPI_Win_create(&exposed_value, sizeof exposed_value, 1, MPI_INFO_NULL, half, &window);
    MPI_Win_fence(0, window);
    until(2);
    MPI_Win_fence(0, window);
    since(2);
    MPI_Win_free(&window);
    MPI_Comm_free(&half);
}

/* A fence that ends no epoch: no rank waits, path 3. */
static void unfenced(void) {
    open_window();
    until(1);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    since(1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
}

/* Twice, rank 1 waits for rank 0's post, and rank 0 for what rank 1 does then: path 2 * (3 + 2 + 1). */
static void posted(void) {
    int done = 0;
    open_window();
    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            work(3);
            MPI_Win_post(second, 0, window);
            while (i > 0 && !done)
                MPI_Win_test(window, &done);
            if (i == 0)
                MPI_Win_wait(window);
            work(1);
        } else if (rank == 1) {
            work(1);
            MPI_Win_start(first, 0, window);
            MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
            work(2);
            MPI_Win_complete(window);
        }
    }
    MPI_Win_free(&window);
}

/* Each rank sends synchronously to a rank that receives late, by a blocking, a non-blocking and a persistent call: path
 * three times 3 + 2, because the sender continues when the receive begins. */
static void synchronous(void) {
    int value = rank;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int way = 0; way < 3; way++) {
        until(1);
        if (rank == 0 && way == 0)
            MPI_Ssend(&value, 1, MPI_INT, 1, way, WORLD);
        else if (rank == 0 && way == 1)
            MPI_Issend(&value, 1, MPI_INT, 1, way, WORLD, &request);
        else if (rank == 0)
            MPI_Ssend_init(&value, 1, MPI_INT, 1, way, WORLD, &request);
        else if (rank == 1 && way == 0)
            MPI_Recv(&value, 1, MPI_INT, 0, way, WORLD, IGNORE);
        else if (rank == 1 && way == 1)
            MPI_Irecv(&value, 1, MPI_INT, 0, way, WORLD, &request);
        else if (rank == 1)
            MPI_Recv_init(&value, 1, MPI_INT, 0, way, WORLD, &request);
        if (way == 2 && request != MPI_REQUEST_NULL)
            MPI_Start(&request);
        MPI_Wait(&request, IGNORE);
        if (request != MPI_REQUEST_NULL)
            MPI_Request_free(&request);
        since(1);
        MPI_Barrier(WORLD);
    }
}

/* A non-blocking receive begins after 2, during 3 units: path 2 + 2, and not 3 + 2. The sender sleeps until it gets an
 * answer. */
static void answered(void) {
    int value = rank, end;
    char byte = 0;
    MPI_Request request;
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 0, WORLD);
    else if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, WORLD, IGNORE);
    if (rank == 0)
        mkfifo(FIFO, 0600);
    MPI_Barrier(WORLD);
    if (rank == 0) {
        end = open(FIFO, O_RDONLY);
        MPI_Issend(&value, 1, MPI_INT, 1, 1, WORLD, &request);
        if (read(end, &byte, 1) != 1)
            abort();
        MPI_Wait(&request, IGNORE);
        close(end);
        work(2);
    } else if (rank == 1) {
        end = open(FIFO, O_WRONLY);
        work(2);
        MPI_Irecv(&value, 1, MPI_INT, 0, 1, WORLD, &request);
        work(1);
        MPI_Wait(&request, IGNORE);
        if (write(end, &byte, 1) != 1)
            abort();
        close(end);
    }
    MPI_Barrier(WORLD);
    if (rank == 0)
        unlink(FIFO);
}

static MPI_File file;
static int file_value;

static void open_file(void) {
    MPI_File_open(WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

/* The ranks of a file wait for each other: to open it, to write (blocking, non-blocking, in two steps), and close it. */
static void filed(void) {
    MPI_Request request;
    until(1);
    open_file();
    since(1);
    MPI_Barrier(WORLD);
    until(2);
    MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, IGNORE);
    since(2);
    MPI_Barrier(WORLD);
    until(3);
    MPI_File_iread_at_all(file, 4 * rank, &file_value, 1, MPI_INT, &request);
    MPI_Wait(&request, IGNORE);
    since(3);
    MPI_Barrier(WORLD);
    until(0);
    MPI_File_read_at_all_begin(file, 4 * rank, &file_value, 1, MPI_INT);
    MPI_File_read_at_all_end(file, &file_value, IGNORE);
    since(0);
    MPI_Barrier(WORLD);
    until(1);
    MPI_File_close(&file);
    since(1);
}

/* Higher ranks wait for rank 1, and rank 0 does not: path 3 + 1, and not 3 + 2. */
static void ordered(void) {
    open_file();
    until(1);
    MPI_File_write_ordered(file, &rank, 1, MPI_INT, IGNORE);
    work(rank == 1 ? 0 : rank == 0 ? 2 : 1);
    MPI_File_close(&file);
}

#ifdef _OPENMP
static void team(int late) {
    #pragma omp parallel num_threads(3)
    compute(omp_get_thread_num() == late ? 3 : 1);
}

/* In a team of threads, the slowest one has three times the work of the others: path 2 (2 + 3 + 3). */
static void teams(void) {
    for (int i = 0; i < 2; i++) {
        work(2);
        MPI_Barrier(WORLD);
        team(2 * (rank % 2));
        team(1 - rank % 2);
    }
}

/* In one execution of a team, its first thread calls MPI after each of two parts, in which the third thread has
 * three times the work: path 3 + 3. */
static void persistent(void) {
    #pragma omp parallel num_threads(3)
    for (int i = 0; i < 2; i++) {
        compute(omp_get_thread_num() == 2 ? 3 : 1);
        if (omp_get_thread_num() == 0)
            MPI_Barrier(WORLD);
    }
}

/* In one execution of a team, threads wait for each other after each of four parts; in each of them, another thread
 * has three times the work: path 4 * 3. The first thread calls MPI after two parts, in the second time after work. */
static void phases(void) {
    #pragma omp parallel num_threads(3)
    for (int i = 0; i < 4; i++) {
        int units = omp_get_thread_num() == i % 3 ? 3 : 1;
        if (omp_get_thread_num() == 0 && i == 1)
            MPI_Barrier(WORLD);
        compute(units);
        if (omp_get_thread_num() == 0 && i == 2)
            MPI_Barrier(WORLD);
        #pragma omp barrier
    }
}

/* The first thread executes its tasks at a barrier, after it has left the loop that creates them; the other waits. */
static void deferred(int units) {
    int left = 4;
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            for (int i = 0; i < 4; i++) {
                #pragma omp task shared(left)
                {
                    compute(units);
                    if (--left == 0)
                        omp_unset_lock(&lock);
                }
            }
        } else {
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
        #pragma omp barrier
    }
    omp_destroy_lock(&lock);
}

/* The third thread cancels the team after its work. The others then leave a barrier that it never reaches: path 3. */
static void cancelled(void) {
    #pragma omp parallel num_threads(3)
    {
        compute(omp_get_thread_num() == 2 ? 3 : 2);
        if (omp_get_thread_num() == 2) {
            #pragma omp cancel parallel
        }
        #pragma omp barrier
    }
}

/* Four tasks: path 4 * 6. */
static void tasks(void) {
    deferred(6);
}

/* Starts the threads, and loads the library's functions. Before MPI_Init, only the first thread's work is on the path. */
static void early(void) {
    deferred(0);
    #pragma omp parallel num_threads(3)
    compute(omp_get_thread_num() == 2 ? 5 : 0);
}

#define TEN(what, n)                                                                                         \
    what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define DEFINED(n)                                                                                           \
    static void wide_##n(void) {                                                                             \
        compute(1);                                                                                          \
    }
#define CALLED(n) wide_##n();
TEN(DEFINED, 1)
TEN(DEFINED, 2)
TEN(DEFINED, 3)
TEN(DEFINED, 4)

/* In one execution of a team, its slowest thread is in many call paths: path 40, one in each function. */
static void wide(void) {
    #pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        TEN(CALLED, 1)
        TEN(CALLED, 2)
        TEN(CALLED, 3)
        TEN(CALLED, 4)
    }
}
#endif

#define SHAPE(name)                                                                                          \
    { #name, name }

/* Prints after each shape how many units each rank did in it. Arguments name the shapes; without arguments, all shapes
 * are executed. The shapes after "master" need four ranks or more. */
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } shapes[] = {
        SHAPE(chain),      SHAPE(one_late),   SHAPE(alternating), SHAPE(full_pipeline), SHAPE(empty_pipeline),
        SHAPE(wavefront),  SHAPE(hidden),     SHAPE(exposed),     SHAPE(late_root),     SHAPE(early_root),
        SHAPE(root_works), SHAPE(halves),     SHAPE(lower_ranks), SHAPE(higher_rank),   SHAPE(begun),
        SHAPE(token),      SHAPE(neighbours), SHAPE(master),     SHAPE(copied),      SHAPE(grouped),       SHAPE(connected),
        SHAPE(merged),     SHAPE(across_all), SHAPE(across_root), SHAPE(beside),        SHAPE(windowed),
        SHAPE(unwindowed), SHAPE(fenced),     SHAPE(unfenced),    SHAPE(posted),
        SHAPE(repeated),   SHAPE(filed),      SHAPE(ordered),     SHAPE(synchronous),   SHAPE(answered),
#ifdef _OPENMP
        SHAPE(teams),       SHAPE(persistent), SHAPE(phases), SHAPE(cancelled), SHAPE(tasks), SHAPE(wide),
#endif
    };
    MPI_Group all;
    int units[MOST];
#ifdef _OPENMP
    early();
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    MPI_Comm_group(WORLD, &all);
    MPI_Group_range_incl(all, 1, (int[1][3]){{0, size - 1, 2}}, &even);
    MPI_Group_incl(all, 1, (int[]){0}, &first);
    MPI_Group_incl(all, 1, (int[]){1}, &second);
    #pragma omp parallel num_threads(3) /* this starts the threads */
    compute(0);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        int asked = argc == 1;
        for (int k = 1; k < argc; k++)
            asked |= strcmp(argv[k], shapes[i].name) == 0;
        if (!asked)
            continue;
        MPI_Barrier(WORLD);
        done = 0;
        shapes[i].run();
        MPI_Gather(&done, 1, MPI_INT, units, 1, MPI_INT, 0, WORLD);
        if (rank == 0)
            printf("%s", shapes[i].name);
        for (int k = 0; rank == 0 && k < size; k++)
            printf(" %d%s", units[k], k < size - 1 ? "" : "\n");
    }
    MPI_Barrier(WORLD);
    MPI_Finalize();
    work(rank == 1 ? 3 : 1); /* after all shapes */
    return 0;
}
