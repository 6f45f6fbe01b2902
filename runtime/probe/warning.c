#define _GNU_SOURCE
#include "warning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int number_of(const char *const *names) {
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && *text)
            return atoi(text);
    }
    return -1;
}

int aa_launched_rank(void) {
    static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID",
                                        NULL};
    return number_of(names);
}

int aa_launched_local_rank(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK",
                                        "SLURM_LOCALID", NULL};
    return number_of(names);
}

int aa_launched_size(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
    return number_of(names);
}

void aa_warn(const char *format, ...) {
    char line[4096 + 256];
    int length = snprintf(line, sizeof line, "autoanalyzer: ");
    if (aa_launched_rank() >= 0)
        length += snprintf(line + length, sizeof line - (size_t)length, "rank %d: ", aa_launched_rank());
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    line[length++] = '\n';
    syscall(SYS_write, STDERR_FILENO, line, (size_t)length);
}
