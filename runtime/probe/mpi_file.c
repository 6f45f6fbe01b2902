/*
 * Wraps MPI_File_open and MPI_File_close, and keeps a list of open files that shows which ones are regular
 * files.
 */
#define _GNU_SOURCE
#include "mpi_file.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "file_use.h"
#include "io_files.h"
#include "mpi_fortran.h"
#include "mpi_path.h"
#include "mpi_requests.h"

/* ---- the open files; files for which the list has no space are treated as regular files */

#define MOST_OPEN 256
#define ROOM_FOR_THREADS 16 /* number of threads that may open files at the same time */

static struct open_file {
    MPI_File handle;
    bool is_regular;
    uint16_t number; /* the number of the file's record (file_use.h); 0 if it has none */
    /* a communicator of the file's processes, for the critical path; MPI_COMM_NULL if there is none */
    MPI_Comm companion;
    void *split; /* our own collective for the critical path, during a split collective; null: none */
} files[MOST_OPEN];

static int file_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the index of an open file, or file_count. The caller holds the lock. */
static int place_of(MPI_File handle) {
    int place = 0;
    while (place < file_count && files[place].handle != handle)
        place++;
    return place;
}

/*
 * Returns a file's properties, found by its name. The name may begin with the kind of the file system:
 * "ufs:data".
 */
static struct open_file describe(const char *name) {
    char path[PATH_MAX];
    int error = errno;
    enum aa_io_kind kind = aa_io_kind_of_path(name);
    const char *colon = strchr(name, ':');
    if (kind == AA_IO_UNKNOWN && colon != NULL)
        kind = aa_io_kind_of_path(name = colon + 1);
    struct open_file file = {.is_regular = kind != AA_IO_OTHER};
    if (kind == AA_IO_REGULAR)
        file.number = aa_file_number(realpath(name, path) != NULL ? path : name);
    errno = error;
    return file;
}

static void remember(MPI_File handle, const char *name, MPI_Comm companion) {
    struct open_file file = describe(name);
    file.handle = handle;
    file.companion = companion;
    pthread_mutex_lock(&lock);
    if (file_count < MOST_OPEN)
        files[file_count++] = file;
    pthread_mutex_unlock(&lock);
}

static void forget(MPI_File handle) {
    pthread_mutex_lock(&lock);
    int place = place_of(handle);
    if (place < file_count)
        files[place] = files[--file_count];
    pthread_mutex_unlock(&lock);
}

static struct open_file look_up(MPI_File handle) {
    pthread_mutex_lock(&lock);
    int place = place_of(handle);
    struct open_file file = place < file_count
                                ? files[place]
                                : (struct open_file){.is_regular = true, .companion = aa_mpi.no_comm};
    pthread_mutex_unlock(&lock);
    return file;
}

/* ---- counting */

/* Returns the ticks from the beginning of the current call to now. */
static uint64_t ticks_of_call(void) {
    const struct aa_thread *thread = aa_thread_self;
    return thread != NULL ? aa_clock_ticks() - thread->last : 0;
}

void aa_file_count(MPI_File handle, uint64_t calls, uint64_t read, uint64_t written) {
    struct open_file file = look_up(handle);
    if (!file.is_regular)
        return;
    aa_count_io(calls, read, written);
    aa_file_add(file.number, calls, read, written, ticks_of_call());
}

void aa_file_begun(MPI_File handle, MPI_Request request, enum aa_file_transfer transfer) {
    aa_file_begun_by_all(handle, request, transfer, NULL);
}

void aa_file_begun_by_all(MPI_File handle, MPI_Request request, enum aa_file_transfer transfer,
                          void *beside) {
    struct open_file file = look_up(handle);
    if (!file.is_regular) {
        aa_collective_begun(request, beside);
        return;
    }
    aa_count_io(1, 0, 0);
    aa_file_add(file.number, 1, 0, 0, ticks_of_call());
    enum aa_brings brings = transfer == AA_FILE_READ ? AA_BRINGS_READ : AA_BRINGS_WRITTEN;
    aa_requests_add((struct aa_request){
        .handle = aa_handle(request), .brings = brings, .file = file.number, .beside = beside});
}

/* ---- the critical path */

static void turn_to(struct aa_mpi_call call, enum aa_share share) {
    if (call.timed)
        aa_share_turn_to(share | AA_IN_MPI);
}

static void meet(struct aa_mpi_call call, MPI_File handle, void (*wait)(MPI_Comm)) {
    MPI_Comm companion = look_up(handle).companion;
    if (companion == aa_mpi.no_comm)
        return;
    turn_to(call, AA_MPI_OTHER);
    wait(companion);
    turn_to(call, AA_IO);
}

void aa_file_everyone(struct aa_mpi_call call, MPI_File handle) {
    meet(call, handle, aa_path_everyone);
}

void aa_file_from_lower(struct aa_mpi_call call, MPI_File handle) {
    meet(call, handle, aa_path_from_lower);
}

static void *begin(MPI_File handle, void *(*begin_among)(MPI_Comm)) {
    MPI_Comm companion = look_up(handle).companion;
    return companion != aa_mpi.no_comm ? begin_among(companion) : NULL;
}

void *aa_file_begin_everyone(MPI_File handle) {
    return begin(handle, aa_path_begin_everyone);
}

void *aa_file_begin_from_lower(MPI_File handle) {
    return begin(handle, aa_path_begin_from_lower);
}

/*
 * Replaces our own collective for a file's split collective, and returns the previous one. A file has at most
 * one split collective at a time.
 */
static void *exchange_split(MPI_File handle, void *beside) {
    pthread_mutex_lock(&lock);
    int place = place_of(handle);
    void *former = place < file_count ? files[place].split : NULL;
    if (place < file_count)
        files[place].split = beside;
    pthread_mutex_unlock(&lock);
    return former;
}

void aa_file_split(MPI_File handle, void *beside) {
    exchange_split(handle, beside);
}

void aa_file_split_ends(MPI_File handle) {
    void *beside = exchange_split(handle, NULL);
    if (beside)
        aa_path_complete(beside);
}

/*
 * Exchanges the chains of all processes that are about to open a file. Returns a communicator of these
 * processes for the critical path; MPI_COMM_NULL if there is none. If opening fails, it fails on all
 * processes.
 */
static MPI_Comm opens(struct aa_mpi_call call, MPI_Comm comm) {
    if (!aa_mpi_has_path(call))
        return aa_mpi.no_comm;
    turn_to(call, AA_MPI_OTHER);
    aa_path_everyone(comm);
    MPI_Comm companion = aa_path_companion(comm, file_count < MOST_OPEN - ROOM_FOR_THREADS);
    turn_to(call, AA_IO);
    return companion;
}

static void is_not_open(MPI_Comm companion) {
    if (companion != aa_mpi.no_comm)
        aa_path_companion_ends(companion);
}

static void closes(struct aa_mpi_call call, MPI_File handle) {
    if (!aa_mpi_has_path(call))
        return;
    aa_file_everyone(call, handle);
    is_not_open(look_up(handle).companion);
}

/* ---- opening and closing, in C */

static void opened(MPI_File handle, const char *name, MPI_Comm companion) {
    remember(handle, name, companion);
    aa_file_count(handle, 0, 0, 0);
}

/*
 * Removes a file from the list and returns it. Called before the file is closed, because its handle is
 * invalid afterwards.
 */
static struct open_file take_out(struct aa_mpi_call call, MPI_File handle) {
    struct open_file file = look_up(handle);
    if (call.counts)
        forget(handle);
    return file;
}

static void closed(struct aa_mpi_call call, struct open_file file) {
    if (call.counts && file.is_regular)
        aa_file_add(file.number, 0, 0, 0, ticks_of_call());
}

AA_MPI_FUNCTION(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
                (comm, name, mode, info, file)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_IO, AA_MPI_REGION("File_open"));
    MPI_Comm companion = opens(call, comm);
    int result = (*next)(comm, name, mode, info, file);
    if (call.counts && result == MPI_SUCCESS)
        opened(*file, name, companion);
    else
        is_not_open(companion);
    aa_mpi_end(call);
    return result;
}

AA_MPI_FUNCTION(File_close, (MPI_File * file), (file)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_IO, AA_MPI_REGION("File_close"));
    closes(call, *file);
    struct open_file former = take_out(call, *file);
    int result = (*next)(file);
    closed(call, former);
    aa_mpi_end(call);
    return result;
}

/* ---- in Fortran, which pads names with blanks */

static void opened_in_fortran(MPI_File handle, const char *name, size_t length, MPI_Comm companion) {
    char text[PATH_MAX];
    while (length > 0 && name[length - 1] == ' ')
        length--;
    length = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, name, length);
    text[length] = '\0';
    opened(handle, text, companion);
}

AA_FORTRAN_FUNCTION(file_open,
                    (MPI_Fint * comm, char *name, MPI_Fint *mode, MPI_Fint *info, MPI_Fint *file,
                     MPI_Fint *error, size_t length),
                    (comm, name, mode, info, file, error, length)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_IO, AA_MPI_REGION_OF("File_open", caller));
    MPI_Comm companion = opens(call, aa_fortran_comm(comm));
    next(comm, name, mode, info, file, error, length);
    if (call.counts && *error == MPI_SUCCESS)
        opened_in_fortran(aa_fortran_file(file), name, length, companion);
    else
        is_not_open(companion);
    aa_mpi_end(call);
}

AA_FORTRAN_FUNCTION(file_close, (MPI_Fint * file, MPI_Fint *error), (file, error)) {
    struct aa_mpi_call call = aa_mpi_begin(AA_IO, AA_MPI_REGION_OF("File_close", caller));
    closes(call, aa_fortran_file(file));
    struct open_file former = take_out(call, aa_fortran_file(file));
    next(file, error);
    closed(call, former);
    aa_mpi_end(call);
}
