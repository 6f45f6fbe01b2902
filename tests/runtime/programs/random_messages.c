/*
 * Random programs that cannot hang: all ranks draw the same steps from a seed. Each rank prints the sum of all data
 * that it received, which does not depend on the order in which they arrived.
 *
 *     random_messages FIRST LAST [THREADS]
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORLD MPI_COMM_WORLD
#define STEPS 30
#define MOST 64

static int rank, size;

struct chance {
    uint64_t state;
};

static uint32_t draw(struct chance *chance, uint32_t below) {
    chance->state = chance->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance->state >> 33) % below;
}

static _Thread_local volatile double spun;

static void work(uint32_t amount) {
    for (uint32_t i = 0; i < amount; i++)
        spun = spun * 1.0000001 + 1e-9;
}

/* The ranks in a random order, which is the same on all ranks: each sends to the next one in it. */
static void shuffle(struct chance *chance, int order[], int count) {
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)draw(chance, (uint32_t)i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static int place_of(const int order[], int count, int who) {
    int place = 0;
    while (place < count && order[place] != who)
        place++;
    return place;
}

static int value(int from, int to, int step, int which) {
    return from * 1000 + to * 10 + step + which * 7;
}

/* Several messages to the next one in an order, received in one of many ways. */
static long messages(struct chance *chance, MPI_Comm comm, int me, int count, int step) {
    int order[MOST], sent[4], received[4] = {0}, index, done, indices[4];
    long sum = 0;
    shuffle(chance, order, count);
    int place = place_of(order, count, me);
    int to = order[(place + 1) % count], from = order[(place + count - 1) % count];
    int number = 1 + (int)draw(chance, 4), how = (int)draw(chance, 8), tag = step * 8, how_sent = (int)draw(chance, 4);
    int anybody = (int)draw(chance, 2), any_tag = !anybody && draw(chance, 2); /* one sender's messages are in order */
    MPI_Request sends[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, receives[4];
    MPI_Status status;
    work(draw(chance, 20000) * (uint32_t)(1 + place % 3));
    int source = anybody ? MPI_ANY_SOURCE : from;
    for (int i = 0; i < number && how < 5; i++) {
        if (how == 4)
            MPI_Recv_init(&received[i], 1, MPI_INT, source, any_tag ? MPI_ANY_TAG : tag + i, comm, &receives[i]);
        else
            MPI_Irecv(&received[i], 1, MPI_INT, source, any_tag ? MPI_ANY_TAG : tag + i, comm, &receives[i]);
    }
    if (how == 4)
        MPI_Startall(number, receives);
    for (int i = 0; i < number; i++) {
        sent[i] = value(me, to, step, i);
        if (how_sent == 0)
            MPI_Issend(&sent[i], 1, MPI_INT, to, tag + i, comm, &sends[i]);
        else if (how_sent == 1)
            (i % 2 ? MPI_Ssend_init : MPI_Send_init)(&sent[i], 1, MPI_INT, to, tag + i, comm, &sends[i]);
        else if (how_sent == 2 && how < 5) /* all receives have begun */
            MPI_Ssend(&sent[i], 1, MPI_INT, to, tag + i, comm);
        else
            MPI_Isend(&sent[i], 1, MPI_INT, to, tag + i, comm, &sends[i]);
    }
    if (how_sent == 1)
        MPI_Startall(number, sends);
    work(draw(chance, 20000));
    switch (how) {
    case 0:
        MPI_Waitall(number, receives, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < number; i++)
            MPI_Waitany(number, receives, &index, &status);
        break;
    case 2:
        for (int left = number; left > 0; left -= done)
            MPI_Waitsome(number, receives, &done, indices, MPI_STATUSES_IGNORE);
        break;
    case 3:
        for (done = 0; !done;)
            MPI_Testall(number, receives, &done, MPI_STATUSES_IGNORE);
        break;
    case 4:
        for (int i = number - 1; i >= 0; i--)
            MPI_Wait(&receives[i], &status);
        break;
    case 5:
        for (int i = 0; i < number; i++) {
            MPI_Probe(source, any_tag ? MPI_ANY_TAG : tag + i, comm, &status);
            MPI_Recv(&received[i], 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
        }
        break;
    case 6:
        for (int i = 0; i < number; i++) {
            MPI_Message message;
            for (done = 0; !done;)
                MPI_Improbe(source, any_tag ? MPI_ANY_TAG : tag + i, comm, &done, &message, &status);
            MPI_Imrecv(&received[i], 1, MPI_INT, &message, &receives[i]);
        }
        MPI_Waitall(number, receives, MPI_STATUSES_IGNORE);
        break;
    default:
        for (int i = 0; i < number; i++)
            MPI_Recv(&received[i], 1, MPI_INT, source, any_tag ? MPI_ANY_TAG : tag + i, comm, &status);
    }
    MPI_Waitall(number, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < number; i++) {
        if (how_sent == 1)
            MPI_Request_free(&sends[i]);
        if (how == 4)
            MPI_Request_free(&receives[i]);
        sum += received[i];
    }
    return sum;
}

/* All other ranks send a message to one rank, which receives them in any order; long ones wait until then. */
static long all_to_one(struct chance *chance, MPI_Comm comm, int me, int count, int step) {
    static const int lengths[] = {1, 2000, 40000};
    int root = (int)draw(chance, (uint32_t)count), how = (int)draw(chance, 5), tag = step * 8, done;
    int length = lengths[draw(chance, 3)], *buffer = calloc((size_t)length, sizeof *buffer);
    long sum = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request = MPI_REQUEST_NULL;
    work(draw(chance, 20000) * (uint32_t)(1 + me % 3));
    buffer[0] = value(me, root, step, how);
    if (me != root) {
        (me % 2 ? MPI_Send : MPI_Ssend)(buffer, length, MPI_INT, root, tag, comm);
        free(buffer);
        return 0;
    }
    if (how == 4)
        MPI_Recv_init(buffer, length, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
    for (int i = 1; i < count; i++) {
        switch (how) {
        case 0:
            MPI_Recv(buffer, length, MPI_INT, MPI_ANY_SOURCE, tag, comm, &status);
            break;
        case 1:
            for (done = 0; !done;)
                MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &done, &status);
            MPI_Recv(buffer, length, MPI_INT, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &status);
            MPI_Mrecv(buffer, length, MPI_INT, &message, &status);
            break;
        case 3:
            MPI_Irecv(buffer, length, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
            for (done = 0; !done;)
                MPI_Test(&request, &done, &status);
            break;
        default:
            MPI_Start(&request);
            MPI_Wait(&request, &status);
        }
        sum += buffer[0];
    }
    if (how == 4)
        MPI_Request_free(&request);
    free(buffer);
    return sum;
}

static long exchange(struct chance *chance, MPI_Comm comm, int me, int count, int step) {
    int order[MOST], received = 0;
    shuffle(chance, order, count);
    int place = place_of(order, count, me), to = order[(place + 1) % count];
    int sent = value(me, to, step, 0);
    work(draw(chance, 20000));
    MPI_Sendrecv(&sent, 1, MPI_INT, to, step * 8, &received, 1, MPI_INT, MPI_ANY_SOURCE, step * 8, comm,
                 MPI_STATUS_IGNORE);
    return received;
}

static long collective(struct chance *chance, MPI_Comm comm, int me, int count) {
    int given = me + 1, all[MOST] = {0}, ones[MOST], got = 0, root = (int)draw(chance, (uint32_t)count);
    int kind = (int)draw(chance, 14);
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < count; i++)
        ones[i] = me + i;
    work(draw(chance, 20000) * (uint32_t)(1 + me % 2));
    switch (kind) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        got = me == root ? 5 : 0;
        MPI_Bcast(&got, 1, MPI_INT, root, comm);
        break;
    case 2:
        MPI_Reduce(&given, &got, 1, MPI_INT, MPI_SUM, root, comm);
        break;
    case 3:
        MPI_Allreduce(&given, &got, 1, MPI_INT, MPI_SUM, comm);
        break;
    case 4:
        MPI_Scan(&given, &got, 1, MPI_INT, MPI_SUM, comm);
        break;
    case 5:
        MPI_Gather(&given, 1, MPI_INT, all, 1, MPI_INT, root, comm);
        break;
    case 6:
        MPI_Scatter(ones, 1, MPI_INT, &got, 1, MPI_INT, root, comm);
        break;
    case 7:
        MPI_Alltoall(ones, 1, MPI_INT, all, 1, MPI_INT, comm);
        break;
    case 8:
        MPI_Iallreduce(&given, &got, 1, MPI_INT, MPI_SUM, comm, &request);
        break;
    case 9:
        got = me == root ? 9 : 0;
        MPI_Ibcast(&got, 1, MPI_INT, root, comm, &request);
        break;
    case 10:
        MPI_Ireduce(&given, &got, 1, MPI_INT, MPI_SUM, root, comm, &request);
        break;
    case 11:
        MPI_Ibarrier(comm, &request);
        break;
    case 12:
        MPI_Iscan(&given, &got, 1, MPI_INT, MPI_SUM, comm, &request);
        break;
    default:
        MPI_Allgather(&given, 1, MPI_INT, all, 1, MPI_INT, comm);
    }
    work(draw(chance, 5000));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        got += all[i];
    return kind == 2 && me != root ? 0 : kind == 10 && me != root ? 0 : got;
}

static long steps(uint64_t seed, MPI_Comm comm, int number) {
    struct chance chance = {seed};
    int me, count;
    long sum = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &count);
    for (int i = 0; i < number; i++) {
        uint32_t kind = draw(&chance, 9);
        if (kind == 8)
            sum += all_to_one(&chance, comm, me, count, i);
        else if (kind < 4)
            sum += messages(&chance, comm, me, count, i);
        else if (kind < 5)
            sum += exchange(&chance, comm, me, count, i);
        else
            sum += collective(&chance, comm, me, count);
    }
    return sum;
}

struct part {
    uint64_t seed;
    MPI_Comm comm;
    long sum;
};

static void *in_thread(void *argument) {
    struct part *part = argument;
    part->sum = steps(part->seed, part->comm, STEPS / 3);
    return NULL;
}

static long program(uint64_t seed, int threads) {
    struct chance chance = {seed * 77 + 5};
    MPI_Comm part, copy;
    int colours = 1 + (int)draw(&chance, 3);
    MPI_Comm_split(WORLD, rank % colours, -rank, &part);
    MPI_Comm_dup(part, &copy);
    long sum = steps(seed, WORLD, STEPS / 3) + steps(seed + 1, part, STEPS / 3) + steps(seed + 2, copy, STEPS / 3);
    if (threads) {
        pthread_t other;
        struct part mine = {seed + 3, copy, 0};
        pthread_create(&other, NULL, in_thread, &mine);
        sum += steps(seed + 4, part, STEPS / 3);
        pthread_join(other, NULL);
        sum += mine.sum;
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
    return sum;
}

int main(int argc, char **argv) {
    int first = argc > 1 ? atoi(argv[1]) : 0, last = argc > 2 ? atoi(argv[2]) : first, threads = argc > 3, provided;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (int seed = first; seed <= last; seed++) {
        long sum = program((uint64_t)seed, threads && provided == MPI_THREAD_MULTIPLE), all = 0;
        MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, WORLD);
        if (rank == 0)
            printf("%d %ld\n", seed, all);
    }
    MPI_Finalize();
    return 0;
}
