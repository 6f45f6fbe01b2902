/* Finds the strongest wave in each window of a signal; the windows are shared out evenly. */
#include "spectra.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int read_windows(int argc, char **argv) {
    int windows = argc > 1 ? atoi(argv[1]) : 16000;
    if (windows < 1 || argc > 2) {
        fprintf(stderr, "usage: spectra [windows]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return windows;
}

static void count_peaks(int windows, long counts[WAVES]) {
    int rank, size;
    double signal[SAMPLES];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int window = rank; window < windows; window += size) {
        record(window, signal);
        counts[analyse(signal).wave - 1]++;
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int windows = read_windows(argc, argv), rank;
    long counts[WAVES] = {0}, all[WAVES], right = 0;
    count_peaks(windows, counts);
    MPI_Reduce(counts, all, WAVES, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int wave = 0; wave < WAVES; wave++)
            right += all[wave] == (windows - wave + WAVES - 1) / WAVES;
        printf("spectra: %d windows, %ld of %d waves counted right\n", windows, right, WAVES);
    }
    MPI_Finalize();
    return 0;
}
