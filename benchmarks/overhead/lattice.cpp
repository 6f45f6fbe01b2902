/* Relaxes a field with expression templates: mpicxx -O2 lattice.cpp; mpirun -n 2 ./a.out [sweeps]. */
#include "lattice.h"

#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <utility>

static void exchange(Field &field, int rank, int size) {
    int below = rank > 0 ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    int last = field.height() - 1;
    MPI_Sendrecv(field.row(1), field.width(), MPI_DOUBLE, below, 0, field.row(last), field.width(),
                 MPI_DOUBLE, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field.row(last - 1), field.width(), MPI_DOUBLE, above, 1, field.row(0), field.width(),
                 MPI_DOUBLE, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sweeps = argc > 1 ? std::atoi(argv[1]) : 300;
    Field now(600, 500), next(600, 500);
    now(Site(300, 250)) = 1 + rank;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        exchange(now, rank, size);
        assign(next, 0.2 * Around(now) + 0.19 * Term(now));
        std::swap(now, next);
    }
    double sum = 0, all;
    for (Site site : now.inside())
        sum += now(site);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("sum %.6e\n", all);
    MPI_Finalize();
}
