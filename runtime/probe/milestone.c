/* The process's milestones, such as MPI_Init, which are written to the shard's header. */
#define _GNU_SOURCE
#include "book.h"
#include "bypass.h"
#include "counter.h"
#include "delay.h"
#include "event.h"
#include "path.h"
#include "probe.h"
#include "process.h"
#include "sample.h"
#include "self.h"
#include "team.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Books the time up to now and renews the anchor; returns the current ticks. */
static uint64_t settle(struct aa_header *header) {
    int error = errno;
    aa_counter_stop();
    if (aa_thread_self)
        aa_book(aa_thread_self);
    header->latest = aa_clock_anchor();
    aa_delay_take(header);
    if (!aa_thread_closed) /* the program may exit in a handler that interrupted this library */
        aa_sample_note_objects();
    aa_counter_go();
    errno = error;
    return header->latest.ticks;
}

void aa_process_mpi_initialised(int rank, int size, bool spawned) {
    if (!aa_thread_self) {
        aa_counter_stop();
        aa_event_attach(AA_ANY_TREE);
        aa_counter_go();
    }
    struct aa_header *header = aa_process_recorded();
    if (!header)
        return;
    header->rank = rank;
    header->size = size;
    header->spawned = spawned;
    uint64_t now = settle(header);
    if (!header->mpi_initialised)
        header->mpi_initialised = now;
    header->mpi_finalising = header->mpi_finalised = 0; /* may be set by an earlier session */
    header->state = AA_RUNNING;
}

void aa_process_thread_level(int provided) {
    struct aa_header *header = aa_process_recorded();
    if (header)
        header->thread_level = provided;
}

void aa_process_waited(void) {
    struct aa_header *header = aa_process_recorded();
    if (header)
        atomic_fetch_add_explicit(&header->barriers, 1, memory_order_relaxed);
}

void aa_process_mpi_finalising(void) {
    struct aa_header *header = aa_process_recorded();
    if (header) {
        header->mpi_finalising = settle(header);
        header->state = AA_FINALIZING;
    }
}

void aa_process_mpi_past(void) {
    struct aa_header *header = aa_process_recorded();
    if (header)
        header->mpi_bypassed = AA_MPI_SOME_PAST;
}

void aa_process_mpi_finalised(void) {
    struct aa_header *header = aa_process_recorded();
    if (header) {
        header->mpi_finalised = settle(header);
        header->state = AA_FINALIZED;
    }
}

void aa_process_aborting(int code) {
    struct aa_header *header = aa_process_recorded();
    if (header) {
        header->end = settle(header);
        header->exit_code = code;
        header->state = AA_ABORTED;
    }
}

static __attribute__((destructor)) void finish(void) {
    struct aa_header *header = aa_process_recorded();
    if (header && header->state != AA_ABORTED) {
        aa_team_finish();
        if (!header->mpi_initialised && !header->forked_from && aa_mpi_was_initialised())
            header->mpi_bypassed = AA_MPI_ALL_PAST;
        header->end = settle(header);
        aa_path_update();
        header->state = AA_EXITED;
        /* writes to a mapping do not update the file's time */
        syscall(SYS_utimensat, AT_FDCWD, aa_shard_path(), NULL, 0);
    }
}
