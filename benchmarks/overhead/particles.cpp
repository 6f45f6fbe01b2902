/*
 * A Monte Carlo transport of particles: mpicxx -O2 particles.cpp; mpirun -n 2 ./a.out [particles per
 * rank].
 */
#include "particles.h"

#include <cstdio>
#include <cstdlib>
#include <mpi.h>

static void fly(Particle &particle, Cells &cells, Random &random) {
    while (particle.alive() && cells.contains(particle.cell())) {
        int cell = particle.cell();
        double free_path = -std::log(1 - random()) / cells.total(cell), border = particle.to_border();
        double length = free_path < border ? free_path : border;
        particle.move(length);
        cells.score(cell, particle.weight() * length);
        if (free_path < border) {
            particle.absorb(cells.absorption(cell) / cells.total(cell));
            particle.scatter(random);
        } else {
            particle.cross();
        }
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long count = argc > 1 ? std::atol(argv[1]) : 2000000;
    Cells cells(40);
    Random random(7 + rank);
    double travelled = 0;
    for (long i = 0; i < count; i++) {
        Particle particle(random);
        fly(particle, cells, random);
        travelled += particle.place().dot(particle.place());
    }
    double sums[2] = {travelled, 0}, all[2];
    for (int i = 0; i < cells.size(); i++)
        sums[1] += cells.tally(i);
    MPI_Reduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("travelled %.6e, scored %.6e\n", all[0], all[1]);
    MPI_Finalize();
}
