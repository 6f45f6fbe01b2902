/* MPI-IO at the end of a file, in parts and with views; the tests in conformance/ check each function in its simplest
 * use. Expected values are those of file I/O: calls, bytes read, bytes written; calls that complete requests are MPI
 * calls, and do not count here.
 */
#include "case.h"

#include <mpi.h>
#include <string.h>

#define N 10
#define BYTES (N * (int)sizeof(int))

static int rank, size;
static int out[4 * N], in[4 * N];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_File file;

/* Offset of this rank's part in the file, in bytes. */
static MPI_Offset part(void) {
    return (MPI_Offset)rank * BYTES;
}

static void open_file(const char *name, int mode) {
    CASE("File_open", 0, 0, 0, MPI_File_open(world, name, mode, MPI_INFO_NULL, &file));
    if (file == MPI_FILE_NULL)
        abort();
}

static void ends(void) {
    MPI_File_write_at_all(file, part(), out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(world);
    CASE("Beyond the end", 1, BYTES / 2, 0,
         MPI_File_read_at(file, (MPI_Offset)size * BYTES - BYTES / 2, in, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("Nothing", 2, 0, 0, MPI_File_read_at(file, 0, in, 0, MPI_INT, MPI_STATUS_IGNORE);
         MPI_File_write_at(file, 0, out, 0, MPI_INT, MPI_STATUS_IGNORE));
}

static void nonblocking(void) {
    MPI_Request request, several[2];
    int flag = 0;
    CASE("File_iwrite_at", 1, 0, 0, MPI_File_iwrite_at(file, part(), out, N, MPI_INT, &request));
    CASE("Wait for File_iwrite_at", 0, 0, BYTES, MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_File_sync(file);
    MPI_Barrier(world);
    CASE("File_iread_at", 1, 0, 0, MPI_File_iread_at(file, part(), in, N, MPI_INT, &request));
    CASE("Test for File_iread_at", 0, BYTES, 0, while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    MPI_File_iread_at(file, part(), in, N, MPI_INT, &several[0]);
    MPI_File_iread_at(file, part(), in + N, N / 2, MPI_INT, &several[1]);
    CASE("Waitall for File_iread_at", 0, BYTES + BYTES / 2, 0, MPI_Waitall(2, several, MPI_STATUSES_IGNORE));
}

static void split(void) {
    CASE("File_write_at_all_begin", 1, 0, 0, MPI_File_write_at_all_begin(file, part(), out, N, MPI_INT));
    CASE("File_write_at_all_end", 0, 0, BYTES, MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE));
    MPI_File_sync(file);
    MPI_Barrier(world);
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_read_all_begin", 1, 0, 0, MPI_File_read_all_begin(file, in, N, MPI_INT));
    CASE("File_read_all_end", 0, BYTES, 0, MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE));
}

/* The view contains every second block of the file; in memory, every second number is used. */
static void views(void) {
    MPI_Datatype blocks, every_second;
    MPI_Type_vector(N, 1, 2 * size, MPI_INT, &blocks);
    MPI_Type_vector(N, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&blocks);
    MPI_Type_commit(&every_second);
    CASE("File_set_view", 0, 0, 0,
         MPI_File_set_view(file, (MPI_Offset)rank * (int)sizeof(int), MPI_INT, blocks, "native",
                           MPI_INFO_NULL));
    CASE("File_write_all with a view", 1, 0, BYTES,
         MPI_File_write_all(file, out, 1, every_second, MPI_STATUS_IGNORE));
    MPI_File_sync(file);
    MPI_Barrier(world);
    CASE("File_read_at with a view", 1, BYTES, 0,
         MPI_File_read_at(file, 0, in, 1, every_second, MPI_STATUS_IGNORE));
    MPI_Type_free(&blocks);
    MPI_Type_free(&every_second);
}

/* A device is not a file, so its bytes do not count; neither does a call that fails. */
static void others(void) {
    MPI_File other = MPI_FILE_NULL;
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &other);
    if (other != MPI_FILE_NULL) {
        CASE("device", 0, 0, 0, MPI_File_write_at(other, 0, out, N, MPI_INT, MPI_STATUS_IGNORE));
        MPI_File_close(&other);
    }
    open_file("data", MPI_MODE_RDONLY);
    CASE("failed", 0, 0, 0, MPI_File_write_at(file, 0, out, N, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_close(&file);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    open_cases(rank);
    open_file("data", MPI_MODE_CREATE | MPI_MODE_RDWR);
    ends();
    nonblocking();
    split();
    views();
    CASE("File_close", 0, 0, 0, MPI_File_close(&file));
    others();
    MPI_Barrier(world);
    if (rank == 0)
        CASE("File_delete", 0, 0, 0, MPI_File_delete("data", MPI_INFO_NULL));
    close_cases();
    MPI_Finalize();
    return 0;
}
