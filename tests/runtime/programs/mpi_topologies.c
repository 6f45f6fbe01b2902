/* Makes topologies, and writes the rank's position in each of them to the file said.RANK: the topology's number and
 * kind, sizes, periods, coordinates. A topology of half of the ranks has the number of the half. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *said;

static void say_list(const int list[], int length) {
    for (int i = 0; i < length; i++)
        fprintf(said, "%s%d", i > 0 ? "," : "\t", list[i]);
}

static void say_grid(int number, MPI_Comm grid) {
    int rank, dimensions, sizes[8], periods[8], at[8];
    if (grid == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(grid, &rank);
    MPI_Cartdim_get(grid, &dimensions);
    MPI_Cart_get(grid, dimensions, sizes, periods, at);
    MPI_Cart_coords(grid, rank, dimensions, at);
    fprintf(said, "%d\tMPI_Cart_create", number);
    say_list(sizes, dimensions), say_list(periods, dimensions), say_list(at, dimensions);
    fprintf(said, "\n");
}

static void say_graph(int number, const char *kind, MPI_Comm graph) {
    int rank, size, none = 0;
    if (graph == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(graph, &rank);
    MPI_Comm_size(graph, &size);
    fprintf(said, "%d\tnodes of %s", number, kind);
    say_list(&size, 1), say_list(&none, 1), say_list(&rank, 1);
    fprintf(said, "\n");
}

static MPI_Comm grid_of(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder) {
    MPI_Comm grid;
    MPI_Cart_create(comm, dimensions, sizes, periods, reorder, &grid);
    return grid;
}

/* Grids of all ranks, with each number of dimensions. */
static void make_many(int from, int to, int ranks) {
    for (int i = from; i <= to; i++) {
        int sizes[40], periods[40] = {0};
        for (int k = 0; k < i; k++)
            sizes[k] = k == 0 ? ranks : 1;
        MPI_Comm grid = grid_of(MPI_COMM_WORLD, i, sizes, periods, 0);
        MPI_Comm_free(&grid);
    }
}

int main(int argc, char **argv) {
    int rank, ranks;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 2) {
        make_many(atoi(argv[1]), atoi(argv[2]), ranks);
        return MPI_Finalize();
    }
    snprintf(name, sizeof name, "said.%d", rank);
    said = fopen(name, "w");
    int sizes[] = {ranks / 2, 2}, ring[] = {1, 0}, none[] = {0, 0}, square[] = {2, 2}, one[] = {1};
    MPI_Comm half, backwards, graph;
    say_grid(1, grid_of(MPI_COMM_WORLD, 2, sizes, ring, 0));
    grid_of(MPI_COMM_WORLD, 2, sizes, ring, 0); /* the same topology again */
    say_grid(2, grid_of(MPI_COMM_WORLD, 2, square, none, 1)); /* has four ranks */
    grid_of(MPI_COMM_SELF, 1, one, none, 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    say_grid(3 + rank % 2, grid_of(half, 1, sizes, none, 0));
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    int own = ranks - 1 - rank, before = (own + ranks - 1) % ranks, next = (own + 1) % ranks, degree = 1;
    int nodes = ranks - 1, ends[64], edges[64];
    for (int k = 0; k < nodes; k++)
        ends[k] = k + 1, edges[k] = (k + 1) % nodes;
    MPI_Dist_graph_create_adjacent(backwards, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &graph);
    say_graph(7, "MPI_Dist_graph_create", graph);
    MPI_Graph_create(backwards, nodes, ends, edges, 0, &graph);
    say_graph(5, "MPI_Graph_create", graph);
    say_grid(6, grid_of(backwards, 2, sizes, none, 0));
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    say_graph(8, "MPI_Dist_graph_create", graph);
    fclose(said);
    return MPI_Finalize();
}
