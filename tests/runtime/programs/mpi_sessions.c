/* A program without MPI_Init, with two sessions; the first one begins MPI, and ends it. */
#include "case.h"

#include <mpi.h>

int main(void) {
    int rank, size, data[10] = {0};
    MPI_Session session, other;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_rank(group, &rank);
    MPI_Group_size(group, &size);
    open_cases(rank);
    CASE("Comm_create_from_group", 1, 0, 0,
         MPI_Comm_create_from_group(group, "case", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
    CASE("Bcast", 1, rank == 0 ? 40 : 0, rank == 0 ? 0 : 40, MPI_Bcast(data, 10, MPI_INT, 0, comm));
    MPI_Session_finalize(&other);
    CASE("Barrier", 1, 0, 0, MPI_Barrier(comm));
    close_cases();
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
