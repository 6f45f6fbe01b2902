/* A program that stops scaling: only relax divides its work by the number of ranks and works at the same
   time.

   usage: scaling UNITS

   One unit is one iteration of the generator. With P ranks, the parts take, of UNITS:

     relax       UNITS / P on each rank       divided
     tables      UNITS / 20 on each rank      replicated: every rank makes the whole table
     search      UNITS / 80 * P on each rank  grows: every rank looks through what each rank has
     sweep       UNITS / 10 / P on each rank  one rank after another
     collect     UNITS / 20 on rank 0 alone   the others wait for it
     exchange    no units, but 4 kB per step and rank, however many ranks there are */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 10, HALO = 512 };

static int rank, size;

static uint64_t next(uint64_t x) {
    return x * 6364136223846793005u + 1442695040888963407u;
}

static uint64_t tables(long units) {
    uint64_t sum = 1;
    for (long entry = 0; entry < units; entry++)
        sum = next(sum) ^ (uint64_t)entry;
    return sum;
}

static uint64_t relax(long units, uint64_t field) {
    for (long cell = 0; cell < units; cell++)
        field = next(field) ^ (uint64_t)cell;
    return field;
}

static void exchange(double *halo) {
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Sendrecv(halo, HALO, MPI_DOUBLE, right, 0, halo + HALO, HALO, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static uint64_t search(long units, uint64_t key) {
    for (long item = 0; item < units * size; item++)
        key = next(key) ^ (uint64_t)item;
    return key;
}

static uint64_t sweep(long units, uint64_t wave) {
    if (rank > 0)
        MPI_Recv(&wave, 1, MPI_UINT64_T, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long cell = 0; cell < units; cell++)
        wave = next(wave) ^ (uint64_t)cell;
    if (rank < size - 1)
        MPI_Send(&wave, 1, MPI_UINT64_T, rank + 1, 1, MPI_COMM_WORLD);
    return wave;
}

static uint64_t collect(long units, uint64_t part) {
    uint64_t parts[size], sum = 0;
    MPI_Gather(&part, 1, MPI_UINT64_T, parts, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (long item = 0; item < units; item++)
            sum = next(sum) ^ (uint64_t)item;
        sum ^= parts[size - 1];
    }
    MPI_Bcast(&sum, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv) {
    static double halo[2 * HALO];
    long units = argc > 1 ? atol(argv[1]) : 100000000;
    uint64_t sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sum = tables(units / 20);
    for (int step = 0; step < STEPS; step++) {
        sum = relax(units / STEPS / size, sum);
        exchange(halo);
        sum = search(units / 80 / STEPS, sum);
        sum = sweep(units / 10 / STEPS / size, sum);
        sum = collect(units / 20 / STEPS, sum);
    }
    if (rank == 0)
        printf("%016llx\n", (unsigned long long)sum);
    MPI_Finalize();
    return 0;
}
