/* Every function of MPI-IO that works on a file. The figures are those of file I/O: calls, bytes read, bytes
 * written; completing calls are MPI's and count no call here. */
#include "case.h"

#include <mpi.h>
#include <string.h>

#define N 10
#define BYTES (N * (int)sizeof(int))

static int rank, size;
static int out[4 * N], in[4 * N];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_File file;

/* Where this rank's part of the file begins, in bytes. */
static MPI_Offset part(void) {
    return (MPI_Offset)rank * BYTES;
}

static void complete(MPI_Request *request) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void open_file(const char *name, int mode) {
    CASE("File_open", 0, 0, 0, MPI_File_open(world, name, mode, MPI_INFO_NULL, &file));
    if (file == MPI_FILE_NULL)
        abort();
}

static void blocking(void) {
    MPI_Status status;
    CASE("File_write_at", 1, 0, BYTES, MPI_File_write_at(file, part(), out, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_write_at_all", 1, 0, BYTES,
         MPI_File_write_at_all(file, part(), out, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_seek", 0, 0, 0, MPI_File_seek(file, part(), MPI_SEEK_SET));
    CASE("File_write", 1, 0, BYTES, MPI_File_write(file, out, N, MPI_INT, &status));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_write_all", 1, 0, BYTES, MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_sync", 0, 0, 0, MPI_File_sync(file));
    MPI_Barrier(world);
    CASE("File_read_at", 1, BYTES, 0, MPI_File_read_at(file, part(), in, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_read_at_all", 1, BYTES, 0,
         MPI_File_read_at_all(file, part(), in, N, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_read", 1, BYTES, 0, MPI_File_read(file, in, N, MPI_INT, &status));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_read_all", 1, BYTES, 0, MPI_File_read_all(file, in, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("Beyond the end", 1, BYTES / 2, 0,
         MPI_File_read_at(file, (MPI_Offset)size * BYTES - BYTES / 2, in, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("Nothing", 2, 0, 0, MPI_File_read_at(file, 0, in, 0, MPI_INT, MPI_STATUS_IGNORE);
         MPI_File_write_at(file, 0, out, 0, MPI_INT, MPI_STATUS_IGNORE));
}

static void nonblocking(void) {
    MPI_Request request, several[2];
    int flag = 0;
    CASE("File_iwrite_at", 1, 0, 0, MPI_File_iwrite_at(file, part(), out, N, MPI_INT, &request));
    CASE("Wait for File_iwrite_at", 0, 0, BYTES, complete(&request));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_iwrite", 1, 0, BYTES, MPI_File_iwrite(file, out, N, MPI_INT, &request); complete(&request));
    MPI_File_sync(file);
    MPI_Barrier(world);
    CASE("File_iread_at", 1, 0, 0, MPI_File_iread_at(file, part(), in, N, MPI_INT, &request));
    CASE(
        "Test for File_iread_at", 0, BYTES, 0,
        while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_iread", 1, BYTES, 0, MPI_File_iread(file, in, N, MPI_INT, &request); complete(&request));
    MPI_File_iread_at(file, part(), in, N, MPI_INT, &several[0]);
    MPI_File_iread_at(file, part(), in + N, N / 2, MPI_INT, &several[1]);
    CASE("Waitall for File_iread_at", 0, BYTES + BYTES / 2, 0,
         MPI_Waitall(2, several, MPI_STATUSES_IGNORE));
    CASE("File_iwrite_at_all", 1, 0, BYTES,
         MPI_File_iwrite_at_all(file, part(), out, N, MPI_INT, &request);
         complete(&request));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_iwrite_all", 1, 0, BYTES, MPI_File_iwrite_all(file, out, N, MPI_INT, &request);
         complete(&request));
    MPI_File_sync(file);
    MPI_Barrier(world);
    CASE("File_iread_at_all", 1, BYTES, 0, MPI_File_iread_at_all(file, part(), in, N, MPI_INT, &request);
         complete(&request));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_iread_all", 1, BYTES, 0, MPI_File_iread_all(file, in, N, MPI_INT, &request);
         complete(&request));
}

static void split(void) {
    CASE("File_write_at_all_begin", 1, 0, 0, MPI_File_write_at_all_begin(file, part(), out, N, MPI_INT));
    CASE("File_write_at_all_end", 0, 0, BYTES, MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_write_all_begin", 1, 0, 0, MPI_File_write_all_begin(file, out, N, MPI_INT));
    CASE("File_write_all_end", 0, 0, BYTES, MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE));
    MPI_File_sync(file);
    MPI_Barrier(world);
    CASE("File_read_at_all_begin", 1, 0, 0, MPI_File_read_at_all_begin(file, part(), in, N, MPI_INT));
    CASE("File_read_at_all_end", 0, BYTES, 0, MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE));
    MPI_File_seek(file, part(), MPI_SEEK_SET);
    CASE("File_read_all_begin", 1, 0, 0, MPI_File_read_all_begin(file, in, N, MPI_INT));
    CASE("File_read_all_end", 0, BYTES, 0, MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE));
}

/* One pointer for all ranks. */
static void shared(void) {
    MPI_Request request;
    MPI_Offset where;
    CASE("File_seek_shared", 0, 0, 0, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    CASE("File_write_shared", 1, 0, BYTES, MPI_File_write_shared(file, out, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_iwrite_shared", 1, 0, BYTES, MPI_File_iwrite_shared(file, out, N, MPI_INT, &request);
         complete(&request));
    CASE("File_write_ordered", 1, 0, BYTES, MPI_File_write_ordered(file, out, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_write_ordered_begin", 1, 0, 0, MPI_File_write_ordered_begin(file, out, N, MPI_INT));
    CASE("File_write_ordered_end", 0, 0, BYTES, MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE));
    CASE("File_get_position_shared", 0, 0, 0, MPI_File_get_position_shared(file, &where));
    MPI_File_sync(file);
    MPI_Barrier(world);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    CASE("File_read_shared", 1, BYTES, 0, MPI_File_read_shared(file, in, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_iread_shared", 1, BYTES, 0, MPI_File_iread_shared(file, in, N, MPI_INT, &request);
         complete(&request));
    CASE("File_read_ordered", 1, BYTES, 0, MPI_File_read_ordered(file, in, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_read_ordered_begin", 1, 0, 0, MPI_File_read_ordered_begin(file, in, N, MPI_INT));
    CASE("File_read_ordered_end", 0, BYTES, 0, MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE));
}

/* Every second block of the file is seen, in memory every second number is used. */
static void views(void) {
    MPI_Datatype blocks, every_second;
    MPI_Offset where;
    MPI_Info info;
    MPI_Type_vector(N, 1, 2 * size, MPI_INT, &blocks);
    MPI_Type_vector(N, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&blocks);
    MPI_Type_commit(&every_second);
    CASE("File_set_view", 0, 0, 0,
         MPI_File_set_view(file, (MPI_Offset)rank * (int)sizeof(int), MPI_INT, blocks, "native", MPI_INFO_NULL));
    CASE("File_write_all with a view", 1, 0, BYTES,
         MPI_File_write_all(file, out, 1, every_second, MPI_STATUS_IGNORE));
    CASE("File_read_at with a view", 1, BYTES, 0,
         MPI_File_read_at(file, 0, in, 1, every_second, MPI_STATUS_IGNORE));
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    CASE("File_set_size", 0, 0, 0, MPI_File_set_size(file, (MPI_Offset)size * BYTES));
    CASE("File_preallocate", 0, 0, 0, MPI_File_preallocate(file, (MPI_Offset)size * BYTES));
    CASE("File_get_size", 0, 0, 0, MPI_File_get_size(file, &where));
    MPI_Info_create(&info);
    CASE("File_set_info", 0, 0, 0, MPI_File_set_info(file, info));
    MPI_Info_free(&info);
    CASE("File_set_atomicity", 0, 0, 0, MPI_File_set_atomicity(file, 0));
    MPI_Type_free(&blocks);
    MPI_Type_free(&every_second);
}

#if MPI_VERSION >= 4
static void of_mpi_4(void) {
    MPI_Request request;
    CASE("File_write_at_c", 1, 0, BYTES,
         MPI_File_write_at_c(file, part(), out, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("File_iread_at_c", 1, BYTES, 0, MPI_File_iread_at_c(file, part(), in, N, MPI_INT, &request);
         complete(&request));
    CASE("File_write_at_all_begin_c", 1, 0, 0, MPI_File_write_at_all_begin_c(file, part(), out, N, MPI_INT));
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
}
#endif

/* Nothing of a device is a file. A call that fails counts nothing. */
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
    blocking();
    nonblocking();
    split();
    shared();
    views();
#if MPI_VERSION >= 4
    of_mpi_4();
#endif
    CASE("File_close", 0, 0, 0, MPI_File_close(&file));
    others();
    MPI_Barrier(world);
    if (rank == 0)
        CASE("File_delete", 0, 0, 0, MPI_File_delete("data", MPI_INFO_NULL));
    close_cases();
    MPI_Finalize();
    return 0;
}
