#define _GNU_SOURCE
#include "policy.h"
#include "shard.h"
#include "warning.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAUSE 0.5 /* seconds between checks; not fewer, because all ranks share the file system */
#define LONGEST ((size_t)64 << 10) /* maximum size of a policy file in bytes */

#define ONE(place) (UINT64_C(1) << (place))
#define OF(field) ONE((offsetof(struct aa_node, field) - offsetof(struct aa_node, visits)) / sizeof(uint64_t))
#define WALL(share) ONE(AA_WALL_VALUE + (share))
#define OFF(share) (OF(off) << (share))
#define COUNT(counter) (OF(counters) << (counter))
/* events that the user named, which are always recorded */
#define EVENTS ((ONE(AA_MOST_EVENTS) - 1) * COUNT(AA_EVENTS))
#define SYSTEM(value) ONE(AA_NODE_VALUES + (value))
#define ALL_MPI ((ONE(AA_SHARES) - ONE(AA_MPI)) << AA_WALL_VALUE)
#define ALL_WALL ((ONE(AA_SHARES) - 1) << AA_WALL_VALUE)
#define ALL_OFF ((ONE(AA_MPI + 1) - 1) * OF(off))

_Static_assert(AA_TRACE_VALUES <= 64, "each value has a bit in a word");

/* Metrics, and the values from which runtime/gather/recorded_metrics.py (FIELDS) computes them. */
static const struct {
    const char *name;
    uint64_t values;
} metrics[] = {
    {"visits", OF(visits)},
    {"wall_time", ALL_WALL},
    {"mpi_time", ALL_MPI},
    {"mpi_start_end_time", WALL(AA_MPI_START_END)},
    {"mpi_barrier_time", WALL(AA_MPI_BARRIER)},
    {"mpi_collective_time", WALL(AA_MPI_COLLECTIVE) | WALL(AA_MPI_ALL_TO_ALL)},
    {"mpi_all_to_all_time", WALL(AA_MPI_ALL_TO_ALL)},
    {"mpi_point_to_point_time", WALL(AA_MPI_SEND_RECEIVE) | WALL(AA_MPI_SEND) | WALL(AA_MPI_RECEIVE)},
    {"mpi_send_time", WALL(AA_MPI_SEND)},
    {"mpi_receive_time", WALL(AA_MPI_RECEIVE)},
    {"mpi_request_time", WALL(AA_MPI_REQUEST)},
    {"mpi_one_sided_time", WALL(AA_MPI_ONE_SIDED)},
    {"mpi_other_time", WALL(AA_MPI_OTHER)},
    {"mpi_wait_time", WALL(AA_MPI_WAIT)},
    {"io_time", WALL(AA_IO)},
    {"omp_time", WALL(AA_OMP)},
    {"cpu_time", ALL_WALL | ALL_OFF},
    {"mpi_cpu_time", ALL_MPI | OFF(AA_MPI)},
    {"io_cpu_time", WALL(AA_IO) | OFF(AA_IO)},
    {"omp_cpu_time", WALL(AA_OMP) | OFF(AA_OMP)},
    {"mpi_calls", OF(mpi_calls)},
    {"mpi_bytes", OF(mpi_sent) | OF(mpi_received)},
    {"mpi_bytes_sent", OF(mpi_sent)},
    {"mpi_bytes_received", OF(mpi_received)},
    {"io_calls", OF(io_calls)},
    {"io_bytes", OF(io_read) | OF(io_written)},
    {"io_bytes_read", OF(io_read)},
    {"io_bytes_written", OF(io_written)},
    {"instructions", COUNT(AA_INSTRUCTIONS)},
    {"cycles", COUNT(AA_CYCLES)},
    {"l1_accesses", COUNT(AA_L1_ACCESSES)},
    {"l1_misses", COUNT(AA_L1_MISSES)},
    {"l2_accesses", COUNT(AA_L2_ACCESSES)},
    {"l2_misses", COUNT(AA_L2_MISSES)},
    {"mpi_instructions", COUNT(AA_MPI_INSTRUCTIONS)},
    {"page_faults", SYSTEM(AA_MINOR_FAULTS) | SYSTEM(AA_MAJOR_FAULTS)},
    {"major_page_faults", SYSTEM(AA_MAJOR_FAULTS)},
    {"context_switches", SYSTEM(AA_VOLUNTARY_SWITCHES) | SYSTEM(AA_INVOLUNTARY_SWITCHES)},
    {"involuntary_context_switches", SYSTEM(AA_INVOLUNTARY_SWITCHES)},
    {"resident_memory", SYSTEM(AA_RESIDENT)},
};

/* Protected by the shard's lock, except for the file's name. */
static struct {
    const char *file; /* the name of the file; null: everything is recorded */
    uint64_t values;
    uint64_t next; /* ticks of the next check */
    struct stat seen;
    bool warned;
    char text[LONGEST + 1];
} policy = {.values = UINT64_MAX};

void aa_policy_load(void) {
    const char *file = getenv("AUTOANALYZER_POLICY");
    policy.file = file && *file ? file : NULL;
}

uint64_t aa_policy_values(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        if (strlen(metrics[i].name) == length && memcmp(metrics[i].name, name, length) == 0)
            return metrics[i].values;
    }
    return 0;
}

/* ---- the file */

static bool is_another(const struct stat *now) {
    const struct stat *seen = &policy.seen;
    return now->st_ino != seen->st_ino || now->st_size != seen->st_size ||
           now->st_mtim.tv_sec != seen->st_mtim.tv_sec || now->st_mtim.tv_nsec != seen->st_mtim.tv_nsec;
}

static bool read_text(int file) {
    size_t length = 0;
    long count;
    while (length < LONGEST && (count = syscall(SYS_read, file, policy.text + length, LONGEST - length)) > 0)
        length += (size_t)count;
    policy.text[length] = 0;
    return length < LONGEST && strlen(policy.text) == length;
}

static const char *after(const char *text, char sign) {
    text += strspn(text, " \t\r\n");
    return *text == sign ? text + 1 : NULL;
}

/*
 * Returns the list of names for a key of a JSON object. Names contain no quotes, so no other text can be
 * mistaken for the key.
 */
static const char *list_of(const char *text, const char *key) {
    for (const char *at = text; (at = strstr(at, key)); at++) {
        const char *list = after(at + strlen(key), ':');
        if (list && (list = after(list, '[')))
            return list;
    }
    return NULL;
}

/* Sets the values of all known names in a list; returns false if the text is not a list of names. */
static bool values_of(const char *list, uint64_t *values) {
    *values = 0;
    if (after(list, ']'))
        return true;
    while ((list = after(list, '"'))) {
        size_t length = strcspn(list, "\"\\");
        if (list[length] != '"')
            return false;
        *values |= aa_policy_values(list, length);
        list += length + 1;
        if (after(list, ']'))
            return true;
        list = after(list, ',');
        if (!list)
            return false;
    }
    return false;
}

static void obey(void) {
    const char *list = list_of(policy.text, "\"record\"");
    uint64_t values;
    if (list && values_of(list, &values)) {
        policy.values = values | EVENTS;
    } else if (!policy.warned) {
        policy.warned = true;
        aa_warn("%s: expected a policy with \"record\": [\"metric\", ...], found none; the same metrics are "
                "recorded as before",
                policy.file);
    }
}

/*
 * Reads the file if it has changed. A new policy is renamed into place, so a file that can be opened is
 * complete.
 */
static void look(void) {
    struct stat now;
    int error = errno; /* the program's, restored at the end */
    int file = (int)syscall(SYS_openat, AT_FDCWD, policy.file, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (file >= 0) {
        if (fstat(file, &now) == 0 && S_ISREG(now.st_mode) && is_another(&now)) {
            policy.seen = now;
            *policy.text = 0;
            read_text(file) ? obey() : (void)0;
        }
        syscall(SYS_close, file);
    }
    errno = error;
}

uint64_t aa_policy_now(uint64_t now) {
    if (policy.file && now >= policy.next) {
        policy.next = now + (uint64_t)(PAUSE * 1e9 * aa_clock_rate());
        look();
    }
    return policy.values;
}
