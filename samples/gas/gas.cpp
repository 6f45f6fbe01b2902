// Gas that flows in a tube until it is at rest; the cells are shared out evenly.
#include "tube.h"

#include <cstdio>
#include <cstdlib>

static int read_steps(int argc, char **argv) {
    int steps = argc > 1 ? std::atoi(argv[1]) : 60;
    if (steps < 1 || argc > 2) {
        std::fprintf(stderr, "usage: gas [steps]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return steps;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int steps = read_steps(argc, argv), rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Tube<double> tube(60000);
    double before = tube.mass();
    for (int step = 0; step < steps; step++)
        tube.step();
    double after = tube.mass();
    if (rank == 0)
        std::printf("gas: %d steps, mass %.6f before and %.6f after\n", steps, before, after);
    MPI_Finalize();
    return 0;
}
