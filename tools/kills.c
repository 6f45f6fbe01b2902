/* A program whose ranks record in mapped files, one per rank, how many times they have left a region. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile long *count_left(const char *folder, int rank) {
    char path[4096];
    snprintf(path, sizeof path, "%s/left.%d", folder, rank);
    int file = open(path, O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, sizeof(long)) != 0)
        exit(3);
    void *memory = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static double leaf(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

static double step(int n) {
    double sum = 0;
    for (int i = 0; i < 5; i++)
        sum += leaf(n + i);
    return sum;
}

int main(int argc, char **argv) {
    int rank;
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    volatile long *left = count_left(argv[1], rank);
    for (long i = 0; left && i < atol(argv[2]); i++) {
        sum += step(200);
        ++*left;
        if (i % 1000 == 0)
            MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum < 0;
}
