#include "grid.h"
#include "stats.hpp"

#include <cstdio>
#include <mpi.h>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::vector<double> values(4);
    grid_fill(4, values.data());
    std::printf(FORMAT "\n", stats::mean(values), grid_sum(4, values.data()));
    MPI_Finalize();
    return 0;
}
