/* Two processes spawn a third, and all three meet. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    MPI_Comm parent, children, all;
    int one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(parent == MPI_COMM_NULL ? children : parent, parent != MPI_COMM_NULL, &all);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    if (parent == MPI_COMM_NULL)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("%d together\n", sum);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(parent == MPI_COMM_NULL ? &children : &parent);
    return MPI_Finalize();
}
