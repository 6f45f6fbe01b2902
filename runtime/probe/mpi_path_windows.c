/*
 * The critical path through one-sided communication: fences, and epochs of post, start, complete and wait.
 * Each window that is followed has a communicator of the tool with the same members, so the ranks in the
 * window's group are the ranks in the communicator.
 */
#include <pthread.h>
#include <stdlib.h>

#include "mpi_path.h"
#include "mpi_path_parts.h"

enum tag { POSTED, COMPLETED };

/* On an origin: the chain that a target sent when it called MPI_Win_post. */
struct posted {
    MPI_Request request;
    bool is_awaited;
    struct aa_path path;
};

static struct window {
    struct window *next;
    MPI_Win handle;
    MPI_Comm comm;
    int targets, origins;
    int *target_ranks, *origin_ranks;
    struct posted *posted; /* one per target */
} * windows;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns the list's pointer to a window, or the list's last pointer if the window is not listed. The caller
 * holds the lock. */
static struct window **place_of(MPI_Win handle) {
    struct window **place = &windows;
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    return place;
}

/* Returns the window with this handle; null if it is not followed. */
static struct window *window_of(MPI_Win handle) {
    pthread_mutex_lock(&mutex);
    struct window *window = *place_of(handle);
    pthread_mutex_unlock(&mutex);
    return window;
}

/* ---- creating and freeing windows */

void aa_path_window_made(MPI_Comm comm, MPI_Win handle) {
    aa_path_everyone(comm);
    MPI_Comm companion = aa_path_companion(comm, true);
    struct window *window = companion != aa_mpi.no_comm ? calloc(1, sizeof *window) : NULL;
    if (!window)
        return;
    window->handle = handle;
    window->comm = companion;
    pthread_mutex_lock(&mutex);
    window->next = windows;
    windows = window;
    pthread_mutex_unlock(&mutex);
}

void aa_path_window_ends(MPI_Win handle) {
    pthread_mutex_lock(&mutex);
    struct window **place = place_of(handle), *window = *place;
    if (window)
        *place = window->next;
    pthread_mutex_unlock(&mutex);
    if (!window)
        return;
    aa_path_everyone(window->comm);
    aa_path_companion_ends(window->comm);
    free(window->target_ranks);
    free(window->origin_ranks);
    free(window->posted);
    free(window);
}

/* ---- fences */

/*
 * Returns the window; null for a fence that ends no epoch, because the standard does not require it to
 * wait.
 */
static const struct window *fenced(int assertion, MPI_Win handle) {
    return assertion & MPI_MODE_NOPRECEDE ? NULL : window_of(handle);
}

void aa_path_fence_begins(int assertion, MPI_Win handle) {
    const struct window *window = fenced(assertion, handle);
    if (window)
        aa_path_enters(AA_PATH_EVERYONE, 0, window->comm);
}

void aa_path_fence(int assertion, MPI_Win handle) {
    const struct window *window = fenced(assertion, handle);
    if (window)
        aa_path_leaves(AA_PATH_EVERYONE, 0, window->comm);
}

/* ---- epochs of post, start, complete and wait */

/* Stores the ranks that a group's members have in a communicator. Returns the number of members; 0 if there
 * is not enough memory. */
static int translate(MPI_Group group, MPI_Comm comm, int **found) {
    MPI_Group all;
    int count = 0;
    free(*found);
    *found = NULL;
    if (aa_mpi.Group_size(group, &count) != MPI_SUCCESS || count == 0)
        return 0;
    int *ranks = malloc((size_t)count * sizeof *ranks);
    *found = malloc((size_t)count * sizeof **found);
    bool done = ranks && *found && aa_mpi.Comm_group(comm, &all) == MPI_SUCCESS;
    if (done) {
        for (int i = 0; i < count; i++)
            ranks[i] = i;
        done = aa_mpi.Group_translate_ranks(group, count, ranks, all, *found) == MPI_SUCCESS;
        aa_mpi.Group_free(&all);
    }
    free(ranks);
    return done ? count : 0;
}

void aa_path_post(MPI_Group origins, MPI_Win handle) {
    struct window *window = window_of(handle);
    if (!window)
        return;
    window->origins = translate(origins, window->comm, &window->origin_ranks);
    for (int i = 0; i < window->origins; i++)
        aa_path_send_on(window->comm, window->origin_ranks[i], POSTED);
}

static void take(struct posted *posted) {
    posted->is_awaited = false;
    aa_path_join_sender(&posted->path, AA_PATH_NO_SENDER);
    aa_path_count_message();
}

/* Joins the targets' chains that have arrived. If MPI_Win_start waited for the posts, all have arrived, but
 * the library may postpone this wait until the end of the epoch. */
void aa_path_started(MPI_Group targets, MPI_Win handle) {
    struct window *window = window_of(handle);
    if (!window)
        return;
    window->targets = aa_path_has_ended ? 0 : translate(targets, window->comm, &window->target_ranks);
    free(window->posted);
    window->posted = window->targets ? calloc((size_t)window->targets, sizeof *window->posted) : NULL;
    for (int i = 0; window->posted && i < window->targets; i++) {
        struct posted *posted = &window->posted[i];
        posted->is_awaited =
            aa_mpi.Irecv(&posted->path, (int)sizeof posted->path, aa_mpi.byte, window->target_ranks[i],
                         POSTED, window->comm, &posted->request) == MPI_SUCCESS;
        if (posted->is_awaited && aa_path_is_here(&posted->request))
            take(posted);
    }
}

void aa_path_completes(MPI_Win handle) {
    const struct window *window = window_of(handle);
    for (int i = 0; window && i < window->targets; i++)
        aa_path_send_on(window->comm, window->target_ranks[i], COMPLETED);
}

/* Joins the remaining chains, because an origin cannot complete before its targets have posted. */
void aa_path_completed(MPI_Win handle) {
    struct window *window = window_of(handle);
    if (!window)
        return;
    for (int i = 0; window->posted && i < window->targets; i++) {
        if (window->posted[i].is_awaited && aa_path_await(&window->posted[i].request))
            take(&window->posted[i]);
    }
    window->targets = 0;
}

void aa_path_waited(MPI_Win handle) {
    struct window *window = window_of(handle);
    if (!window)
        return;
    for (int i = 0; i < window->origins; i++)
        aa_path_receive_on(window->comm, window->origin_ranks[i], COMPLETED);
    window->origins = 0;
}
