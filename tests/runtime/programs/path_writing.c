/* One rank writes a file, and the others wait for it, three times. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE (8 << 20)

static void work(void) {
    volatile double x = 1;
    for (long i = 0; i < UNIT; i++)
        x = x * 1.0000001 + 1e-9;
}

static void write_all(const char *data) {
    FILE *file = fopen("written", "w");
    fwrite(data, 1, SIZE, file);
    fflush(file);
    fsync(fileno(file));
    fclose(file);
}

int main(int argc, char **argv) {
    int rank;
    char *data = calloc(1, SIZE);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            write_all(data);
        MPI_Barrier(MPI_COMM_WORLD);
        work();
    }
    MPI_Finalize();
    free(data);
}
