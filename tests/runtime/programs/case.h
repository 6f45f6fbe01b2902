/*
 * A case: a region whose MPI calls or I/O, and their bytes, are known. The program writes the values that it expects to
 * a file, and the test compares them with those that the probe library recorded.
 */
#ifndef CASE_H
#define CASE_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void probe(const char *descriptor);

static probe *enter_region, *exit_region;
static FILE *expectations;

static void open_cases(int rank) {
    char name[64];
    enter_region = (probe *)dlsym(RTLD_DEFAULT, "aa_probe_enter");
    exit_region = (probe *)dlsym(RTLD_DEFAULT, "aa_probe_exit");
    snprintf(name, sizeof name, "expected.%d", rank);
    expectations = fopen(name, "w");
    if (enter_region == NULL || exit_region == NULL || expectations == NULL)
        abort();
}

static void close_cases(void) {
    fclose(expectations);
}

/* The three numbers are calls, bytes sent, bytes received; for I/O: calls, bytes read, bytes written. */
#define CASE(name, calls, out, in, ...)                                                                      \
    do {                                                                                                     \
        enter_region("aa1|user|" name "|||0|0|0");                                                           \
        __VA_ARGS__;                                                                                         \
        exit_region("aa1|user|" name "|||0|0|0");                                                            \
        fprintf(expectations, "%s\t%lld\t%lld\t%lld\n", name, (long long)(calls), (long long)(out),          \
                (long long)(in));                                                                            \
    } while (0)

#endif
