/*
 * Records programs without probes, so that samples cover all of their code: the main thread from the start of
 * the program, and other threads from their beginning.
 */
#define _GNU_SOURCE
#include "sample_start.h"
#include "event.h"
#include "counter.h"
#include "process.h"
#include "sample.h"
#include "self.h"
#include "thread.h"

#include <limits.h>
#include <link.h>
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

/* Returns whether a name is the known name, perhaps with a version or suffix: python3.11, mpiexec.hydra. */
static bool is_a_version_of(const char *name, const char *known) {
    size_t length = strlen(known);
    return begins_with(name, known) && strchr(".-0123456789", name[length]);
}

/*
 * Returns whether this program should be recorded even if it never calls MPI. This is false for shells,
 * interpreters and launchers, into which the library is also preloaded, and for system tools.
 */
static bool is_a_users_program(void) {
    static const char *const folders[] = {"/usr/", "/bin/", "/sbin/"};
    static const char others[] = "python\0pypy\0perl\0ruby\0java\0julia\0Rscript\0tclsh\0"
                                 "sh\0bash\0dash\0ksh\0zsh\0env\0make\0cmake\0numactl\0"
                                 "mpirun\0mpiexec\0orterun\0orted\0prte\0prted\0prterun\0prun\0"
                                 "srun\0aprun\0jsrun\0flux\0mpirun_rsh\0mpispawn\0apptainer\0singularity\0"
                                 "hydra_pmi_proxy\0hydra_bstrap_proxy\0hydra_nameserver\0";
    char path[512] = "";
    if (syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1) <= 0)
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins_with(path, folders[i]) && !begins_with(path, "/usr/local/"))
            return false;
    const char *name = base_of(path);
    for (const char *other = others; *other; other += strlen(other) + 1)
        if (is_a_version_of(name, other))
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

void aa_sample_begin_program(void) {
    static bool has_begun;
    if (has_begun)
        return;
    has_begun = true;
    if (aa_process_records() && aa_sample_is_wanted() && is_a_users_program())
        attach();
}

static __attribute__((constructor)) void begin(void) {
    aa_sample_begin_program();
}

static bool contains(const struct dl_phdr_info *object, uintptr_t address) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - object->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

static int is_openmp_with(struct dl_phdr_info *object, size_t unused, void *address) {
    (void)unused;
    const char *name = base_of(object->dlpi_name);
    return (begins_with(name, "libgomp") || begins_with(name, "libomp") || begins_with(name, "libiomp")) &&
           contains(object, (uintptr_t)address);
}

/*
 * Returns whether a thread's function is in an OpenMP library. Such threads are recorded only in parallel
 * regions, with their numbers. Does not use dladdr: a thread in dlopen holds dladdr's lock, while a library's
 * constructor may be waiting for the new threads.
 */
static bool is_of_openmp(const void *start) {
    return dl_iterate_phdr(is_openmp_with, (void *)(uintptr_t)start) != 0;
}

void aa_sample_begin_thread(const struct aa_node *birth, const void *start) {
    if (birth->region == AA_NO_REGION && aa_sample_is_wanted() && !is_of_openmp(start))
        attach();
}
