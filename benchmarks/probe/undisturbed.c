/*
 * Preloaded together with the probe library under Valgrind, which does not support the kernel's restartable
 * sequences (rseq). Provides an area for them as if the thread never left its core, so that events take the
 * same fast path as without Valgrind.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* The beginning of the kernel's struct rseq. */
static _Thread_local struct {
    uint32_t cpu_id_start, cpu_id;
    uint64_t sequence;
    uint64_t unused[2];
} area __attribute__((aligned(32), tls_model("initial-exec")));

/* These replace glibc's symbols. */
ptrdiff_t __rseq_offset;
unsigned int __rseq_size = sizeof area;
long syscall(long number, ...);

__attribute__((constructor)) static void place(void) {
    __rseq_offset = (char *)&area - (char *)__builtin_thread_pointer();
}

/* The library sleeps to test whether the kernel resets the field, so this function resets it. */
long syscall(long number, ...) {
    static long (*real)(long, ...);
    long values[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        values[i] = va_arg(arguments, long);
    va_end(arguments);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_nanosleep)
        area.sequence = 0;
    return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
