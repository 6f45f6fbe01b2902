/*
 * Programs without probes: so that samples cover all of their code, the main thread is recorded from the
 * start, and other threads once they begin.
 */
#define _GNU_SOURCE
#include "sample_start.h"
#include "event.h"
#include "counter.h"
#include "process.h"
#include "sample.h"
#include "self.h"
#include "thread.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <unistd.h>

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * Returns whether this is a program to be recorded, even if it never calls MPI: no shell, interpreter or
 * launcher, into which the library is preloaded, too, and no tool of the system.
 */
static bool is_a_users_program(void) {
    static const char *const folders[] = {"/usr/", "/bin/", "/sbin/"};
    static const char *const others[] = {"python",  "perl", "bash",  "sh",   "env",  "mpirun",
                                         "mpiexec", "orte", "orted", "prte", "prun", "srun",
                                         "hydra_",  "pypy", "ruby",  "java"};
    char path[512] = "";
    if (syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1) <= 0)
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins_with(path, folders[i]))
            return false;
    const char *name = base_of(path);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins_with(name, others[i]) && (strlen(others[i]) > 3 || !name[strlen(others[i])]))
            return false;
    return true;
}

static void attach(void) {
    if (aa_thread_self || aa_thread_closed)
        return;
    aa_counter_stop();
    aa_event_attach(AA_ANY_TREE);
    aa_counter_go();
}

static __attribute__((constructor)) void begin(void) {
    if (aa_process_records() && aa_sample_is_wanted() && is_a_users_program())
        attach();
}

/* Threads of OpenMP are recorded in parallel regions only, with their numbers. */
static bool is_of_openmp(const void *start) {
    Dl_info info;
    if (!dladdr(start, &info) || !info.dli_fname)
        return false;
    const char *name = base_of(info.dli_fname);
    return begins_with(name, "libgomp") || begins_with(name, "libomp") || begins_with(name, "libiomp");
}

void aa_sample_begin_thread(const struct aa_node *birth, const void *start) {
    if (birth->region == AA_NO_REGION && aa_sample_is_wanted() && !is_of_openmp(start))
        attach();
}
