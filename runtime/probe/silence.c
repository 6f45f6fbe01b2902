#define _GNU_SOURCE
#include "silence.h"
#include "io_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

/*
 * Returns whether the process has only one thread. If so, /proc/self/task has three links: from itself, from
 * its parent folder, and from the only folder in it.
 */
static bool is_single_threaded(void) {
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;
}

struct aa_silence aa_silence_begin(void) {
    struct aa_silence silence = {0};
    int first = is_single_threaded() ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (first < 0)
        return silence;
    /* a number above the standard streams, even if the program has closed one of them */
    int nowhere = fcntl(first, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    aa_libc()->close(first);
    if (nowhere < 0)
        return silence;
    aa_libc()->fflush(stdout); /* the program's buffered output must not be discarded */
    for (int i = 0; i < 2; i++) {
        silence.saved[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        silence.begun[i] = silence.saved[i] >= 0 || errno == EBADF;
        if (silence.begun[i])
            aa_libc()->dup2(nowhere, STDOUT_FILENO + i);
    }
    aa_libc()->close(nowhere);
    return silence;
}

void aa_silence_end(struct aa_silence silence) {
    if (silence.begun[0])
        aa_libc()->fflush(stdout);
    for (int i = 0; i < 2; i++) {
        if (!silence.begun[i])
            continue;
        if (silence.saved[i] >= 0)
            aa_libc()->dup2(silence.saved[i], STDOUT_FILENO + i);
        aa_libc()->close(silence.saved[i] >= 0 ? silence.saved[i] : STDOUT_FILENO + i);
    }
}
