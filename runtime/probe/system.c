#define _GNU_SOURCE
#include "system.h"
#include "memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* number of bytes to read from /proc/self/status, which lists the memory near its beginning */
#define STATUS ((size_t)4 << 10)
#define PEAK "VmHWM:" /* in kB */

static void ask(int whose, uint64_t values[AA_SYSTEM_VALUES], struct rusage *usage) {
    memset(values, 0, AA_SYSTEM_VALUES * sizeof *values);
    if (getrusage(whose, usage) != 0) {
        memset(usage, 0, sizeof *usage);
        return;
    }
    values[AA_MINOR_FAULTS] = (uint64_t)usage->ru_minflt;
    values[AA_MAJOR_FAULTS] = (uint64_t)usage->ru_majflt;
    values[AA_VOLUNTARY_SWITCHES] = (uint64_t)usage->ru_nvcsw;
    values[AA_INVOLUNTARY_SWITCHES] = (uint64_t)usage->ru_nivcsw;
}

uint64_t aa_system_of_thread(uint64_t values[AA_SYSTEM_VALUES]) {
    struct rusage usage;
    ask(RUSAGE_THREAD, values, &usage);
    return (uint64_t)usage.ru_stime.tv_sec * 1000000u + (uint64_t)usage.ru_stime.tv_usec;
}

/* Returns the peak memory in kB; 0 if unknown. */
static uint64_t peak_memory(void) {
    char *text = aa_memory_map(STATUS); /* zeroed */
    if (!text)
        return 0;
    long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0) {
        syscall(SYS_read, file, text, STATUS - 1);
        syscall(SYS_close, file);
    }
    const char *peak = strstr(text, PEAK);
    uint64_t kilobytes = peak ? strtoull(peak + sizeof PEAK - 1, NULL, 10) : 0;
    aa_memory_unmap(text, STATUS);
    return kilobytes;
}

/* The peak is not getrusage's maximum, which includes any program that this process ran before. */
void aa_system_of_process(uint64_t values[AA_SYSTEM_VALUES]) {
    struct rusage usage;
    ask(RUSAGE_SELF, values, &usage);
    uint64_t peak = peak_memory();
    values[AA_RESIDENT] = (peak ? peak : (uint64_t)usage.ru_maxrss) << 10;
}
