#define _GNU_SOURCE
#include "meeting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "shard_folder.h"
#include "warning.h"

/* nanoseconds: most MPI libraries return from MPI_Init only once all processes have called it */
#define PATIENCE 2e9
#define NAP 1000000L
#define AT_ONCE 4096

static char file_path[3200], answer_path[3200];

/*
 * Writes a name that all processes of a job share, and no other process has. It is empty for processes that
 * were started one by one from a shell.
 */
static void name_job(char *job, size_t size) {
    static const char *const names[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID", "PMI_JOBID"};
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        int length = value ? snprintf(job + used, size - used, "%s.", value) : 0;
        used = length > 0 && used + (size_t)length < size ? used + (size_t)length : used;
    }
    if (used == 0)
        snprintf(job, size, "%ld", (long)getppid());
    for (char *c = job; *c; c++)
        *c = *c == '/' ? '_' : *c;
}

static void find_paths(void) {
    char job[512] = "";
    name_job(job, sizeof job);
    snprintf(file_path, sizeof file_path, "%s/job-%.400s.mark", aa_shard_folder(), job);
    snprintf(answer_path, sizeof answer_path, "%s/job-%.400s-all.mark", aa_shard_folder(), job);
}

static void come(int rank) {
    long file = syscall(SYS_openat, AT_FDCWD, file_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    syscall(SYS_pwrite64, file, "1", (size_t)1, (int64_t)rank);
    syscall(SYS_close, file);
}

void aa_meeting_announce(void) {
    int error = errno, rank = aa_launched_rank();
    find_paths();
    if (rank >= 0)
        come(rank);
    errno = error;
}

/* Returns whether all processes have announced themselves. Opens the file each time, because otherwise writes
 * from other nodes may be invisible. */
static bool all_came(int size) {
    char came[AT_ONCE];
    long file = syscall(SYS_openat, AT_FDCWD, file_path, O_RDONLY | O_CLOEXEC, 0);
    bool all = file >= 0;
    for (int at = 0; all && at < size; at += AT_ONCE) {
        int part = size - at < AT_ONCE ? size - at : AT_ONCE;
        all = syscall(SYS_pread64, file, came, (size_t)part, (int64_t)at) == part &&
              !memchr(came, 0, (size_t)part);
    }
    if (file >= 0)
        syscall(SYS_close, file);
    return all;
}

/* Returns the answer of the first process that has one. This process creates a link, which is complete as
 * soon as it is visible. */
static bool agree(const char *answer) {
    char given[8] = "";
    if (symlink(answer, answer_path) == 0)
        return strcmp(answer, "yes") == 0;
    return readlink(answer_path, given, sizeof given - 1) > 0 && strcmp(given, "yes") == 0;
}

void aa_meeting_refuse(void) {
    int error = errno;
    find_paths();
    agree("no");
    errno = error;
}

bool aa_meeting_is_complete(int rank, int size) {
    int error = errno;
    uint64_t end = aa_clock_nanoseconds(CLOCK_MONOTONIC) + (uint64_t)PATIENCE;
    come(rank);
    bool all = all_came(size);
    while (!all && access(answer_path, F_OK) != 0 && aa_clock_nanoseconds(CLOCK_MONOTONIC) < end) {
        nanosleep(&(struct timespec){0, NAP}, NULL);
        all = all_came(size);
    }
    bool agreed = agree(all ? "yes" : "no");
    errno = error;
    return agreed;
}
