#define _GNU_SOURCE
#include "delay.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct counts {
    int64_t delay;
    uint64_t system[AA_SYSTEM_VALUES];
};

/*
 * The counts when this library was loaded. They are subtracted, because the kernel counts from the start of
 * the process, which may have run another program before.
 */
static struct counts before;

/*
 * Parses three numbers: nanoseconds on a core, nanoseconds waiting for a core, and the number of time slices.
 * Returns the second number; -1 if there are no time slices. This shows that the kernel keeps no counts,
 * because this process has had at least one time slice.
 */
static int64_t delay_in(const char *text) {
    char *next;
    strtoull(text, &next, 10);
    uint64_t delay = strtoull(next, &next, 10);
    return strtoull(next, NULL, 10) ? (int64_t)delay : -1;
}

/* Returns the nanoseconds for which the process's first thread waited for a core; -1 if unknown. */
static int64_t run_delay(void) {
    char text[96];
    long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    long length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    if (length <= 0)
        return -1;
    text[length] = '\0';
    return delay_in(text);
}

static struct counts counts_until_now(void) {
    /* errno is restored at the end, because opening fails if the program has used up its file descriptors */
    int error = errno;
    struct counts counts = {.delay = run_delay()};
    aa_system_of_process(counts.system);
    errno = error;
    return counts;
}

void aa_delay_start(void) {
    before = counts_until_now();
    before.system[AA_RESIDENT] = 0; /* not a sum, but a maximum since the current program began */
}

void aa_delay_take(struct aa_header *header) {
    struct counts now = counts_until_now();
    header->run_delay = now.delay < 0 || before.delay < 0 ? -1 : now.delay - before.delay;
    for (int i = 0; i < AA_SYSTEM_VALUES; i++)
        header->system[i] = now.system[i] - before.system[i];
    header->involuntary = header->system[AA_INVOLUNTARY_SWITCHES];
}
