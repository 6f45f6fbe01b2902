/* Calls that connect processes. Not every MPI library supports all of them; a call that fails is not counted. */
#include "case.h"

#include <arpa/inet.h>
#include <mpi.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT MPI_MAX_PORT_NAME

static int rank, ranks, result;
static int is_one_program;
static char port[PORT], *program;
static MPI_Comm comm;

/* A case of one call, which may fail. */
#define MAY_FAIL(name, ...) CASE(name, result == MPI_SUCCESS, 0, 0, result = __VA_ARGS__)

static void spawn(void) {
    char *arguments[] = {"child", NULL}, **several[] = {arguments, arguments}, *programs[] = {program, program};
    int one[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MAY_FAIL("Comm_spawn", MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm,
                                          MPI_ERRCODES_IGNORE));
    if (result == MPI_SUCCESS)
        CASE("Comm_disconnect", 1, 0, 0, MPI_Comm_disconnect(&comm));
    if (is_one_program)
        return;
    MAY_FAIL("Comm_spawn_multiple", MPI_Comm_spawn_multiple(2, programs, several, one, infos, 0, MPI_COMM_WORLD,
                                                            &comm, MPI_ERRCODES_IGNORE));
    if (result == MPI_SUCCESS)
        MPI_Comm_disconnect(&comm);
}

static void publish(void) {
    char found[PORT];
    MAY_FAIL("Publish_name", MPI_Publish_name("case", MPI_INFO_NULL, port));
    if (result != MPI_SUCCESS)
        return;
    MAY_FAIL("Lookup_name", MPI_Lookup_name("case", MPI_INFO_NULL, found));
    MAY_FAIL("Unpublish_name", MPI_Unpublish_name("case", MPI_INFO_NULL, port));
}

/* Rank 0 waits until rank 1 connects to its port. */
static void connect_ranks(void) {
    if (rank == 0)
        MAY_FAIL("Open_port", MPI_Open_port(MPI_INFO_NULL, port));
    MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (result != MPI_SUCCESS)
        return;
    MPI_Bcast(port, PORT, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        CASE("Comm_accept", 1, 0, 0, MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm));
    else
        CASE("Comm_connect", 1, 0, 0, MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm));
    MPI_Comm_disconnect(&comm);
    if (rank == 0) {
        publish();
        CASE("Close_port", 1, 0, 0, MPI_Close_port(port));
    }
}

/* Two ranks connect by a socket of their own. */
static void join(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int end = socket(AF_INET, SOCK_STREAM, 0), listener = end;
    if (rank == 0 && (bind(end, (struct sockaddr *)&address, size) != 0 || listen(end, 1) != 0 ||
                      getsockname(end, (struct sockaddr *)&address, &size) != 0))
        abort();
    MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        end = accept(listener, NULL, NULL);
    else if (connect(end, (struct sockaddr *)&address, size) != 0)
        abort();
    MAY_FAIL("Comm_join", MPI_Comm_join(end, &comm));
    if (result == MPI_SUCCESS)
        MPI_Comm_disconnect(&comm);
    close(end);
}

int main(int argc, char **argv) {
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    program = argv[0];
    is_one_program = argc > 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2)
        return 77;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    open_cases(rank);
    spawn();
    connect_ranks();
    join();
    close_cases();
    MPI_Finalize();
    return 0;
}
