/* Rank 0 sends a message to rank 1, and 3 messages to a process that both have started, which sends 2 to rank 0. */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Comm parent, child;
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parent != MPI_COMM_NULL) {
        for (int i = 0; i < 3; i++)
            MPI_Recv(&number, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2; i++)
            MPI_Send(&number, 1, MPI_INT, 0, 0, parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    if (rank == 0)
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
    for (int i = 0; i < 3 && rank == 0; i++)
        MPI_Send(&number, 1, MPI_INT, 0, 0, child);
    for (int i = 0; i < 2 && rank == 0; i++)
        MPI_Recv(&number, 1, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&child);
    MPI_Finalize();
    return 0;
}
