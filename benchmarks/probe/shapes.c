/*
 * Small functions, called in five shapes: in a loop, recursively, alternately, nested, and by two threads.
 * REGION marks a function as a region. Prints a line "SHAPE NANOSECONDS" per pair of entry and exit.
 *
 * -DSTAMPS reads the clock at entry and at exit. -DPROBES works like an instrumented program, through
 * pointers that a constructor has looked up. -DCALIPER and -DTAU use those tools' C interfaces. Without any
 * of them, compiler options may enable the compiler's own hooks. The arguments are the numbers of the two
 * cores to run on (a single thread runs on the first), or the word "paths", to enter many call paths instead
 * (-DPROBES).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define PLAIN __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline))
#ifndef PAIRS
#define PAIRS 2000000
#define FIB 28
#define FIB_CALLS 1028457 /* calls of fib(28), including itself */
#endif
#define LEVELS 8
#define CHILDREN 10
#define THREADS 2
#define PATHS 10000

#if defined(STAMPS)
static _Thread_local volatile unsigned long long stamp;
static inline PLAIN void read_clock(void) {
#if defined(__x86_64__)
    stamp = __rdtsc();
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    stamp = (unsigned long long)time.tv_nsec;
#endif
}
static inline PLAIN void leave(const int *unused) {
    (void)unused;
    read_clock();
}
#define REGION(name) __attribute__((cleanup(leave))) const int guard = (read_clock(), 0)
#elif defined(PROBES)
#include "stub.h"

#include "begin.h"
#define DESCRIPTOR(name) "aa1|function|" name "|shapes.c|" name "|0|1|2"
#define REGION(name)                                                                                         \
    static __thread long site;                                                                               \
    __attribute__((cleanup(aa_leave))) const char *const guard = aa_begin(DESCRIPTOR(name), &site)
#elif defined(CALIPER)
#include <caliper/cali.h>
static inline PLAIN void leave(const char *const *name) {
    cali_end_region(*name);
}
#define REGION(name) __attribute__((cleanup(leave))) const char *const guard = (cali_begin_region(name), name)
#elif defined(TAU)
extern void Tau_start(const char *name);
extern void Tau_stop(const char *name);
static inline PLAIN void leave(const char *const *name) {
    Tau_stop(*name);
}
#define REGION(name) __attribute__((cleanup(leave))) const char *const guard = (Tau_start(name), name)
#else
#define REGION(name) ((void)0)
#endif

static _Thread_local volatile int sink;

static CALLED void leaf(void) {
    REGION("leaf");
    sink++;
}

static CALLED void second_leaf(void) {
    REGION("second_leaf");
    sink++;
}

static CALLED int fib(int n) {
    REGION("fib");
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

#define CHILD(number)                                                                                        \
    static CALLED void child_##number(void) {                                                                \
        REGION("child_" #number);                                                                            \
        sink++;                                                                                              \
    }
CHILD(0)
CHILD(1)
CHILD(2)
CHILD(3)
CHILD(4)
CHILD(5)
CHILD(6)
CHILD(7)
CHILD(8)
CHILD(9)

#define LEVEL(number, below)                                                                                 \
    static CALLED void level_##number(void) {                                                                \
        REGION("level_" #number);                                                                            \
        below();                                                                                             \
        sink++;                                                                                              \
    }
LEVEL(7, leaf)
LEVEL(6, level_7)
LEVEL(5, level_6)
LEVEL(4, level_5)
LEVEL(3, level_4)
LEVEL(2, level_3)
LEVEL(1, level_2)

/* CPU time, because other load on the machine must not be measured. */
static PLAIN double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static PLAIN int loop(void) {
    for (int i = 0; i < PAIRS; i++)
        leaf();
    return PAIRS;
}

static PLAIN int recursion(void) {
    sink = fib(FIB);
    return FIB_CALLS;
}

static PLAIN int alternation(void) {
    for (int i = 0; i < PAIRS / CHILDREN; i++) {
        child_0(), child_1(), child_2(), child_3(), child_4();
        child_5(), child_6(), child_7(), child_8(), child_9();
    }
    return PAIRS / CHILDREN * CHILDREN;
}

static PLAIN int nesting(void) {
    for (int i = 0; i < PAIRS / LEVELS; i++)
        level_1();
    return PAIRS / LEVELS * LEVELS;
}

/* ---- two threads at once, each with a function of its own */

static pthread_barrier_t together;
static cpu_set_t places[THREADS];

static PLAIN void stay_on(const cpu_set_t *place) {
    pthread_setaffinity_np(pthread_self(), sizeof *place, place);
    pthread_barrier_wait(&together);
}

static PLAIN void *first_thread(void *unused) {
    stay_on(&places[0]);
    for (int i = 0; i < PAIRS; i++)
        leaf();
    return unused;
}

static PLAIN void *second_thread(void *unused) {
    stay_on(&places[1]);
    for (int i = 0; i < PAIRS; i++)
        second_leaf();
    return unused;
}

static PLAIN int two_threads(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, first_thread, NULL);
    pthread_create(&second, NULL, second_thread, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return THREADS * PAIRS;
}

/* ---- */

static PLAIN void measure(const char *name, int (*shape)(void)) {
    shape();
    double start = now();
    int pairs = shape();
    printf("%s %.3f\n", name, (now() - start) / pairs);
}

#if defined(PROBES)
/* Returns the resident memory in bytes, without shared memory and mapped files. */
static long private_bytes(void) {
    long size, resident, shared;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld %ld", &size, &resident, &shared) != 3)
        exit(1);
    fclose(file);
    return (resident - shared) * sysconf(_SC_PAGESIZE);
}

/*
 * Enters PATHS call paths, each in its own region, which takes the most memory; prints their number and the
 * bytes of memory that they take.
 */
static void walk_paths(void) {
    static char descriptors[PATHS][80];
    for (int i = 0; i < PATHS; i++)
        snprintf(descriptors[i], sizeof *descriptors,
                 "aa1|function|compute_%05d|source/module_%03d.c|compute_%05d|0|1234|1256", i, i / 100, i);
    long before = private_bytes();
    for (int i = 0; i < PATHS; i++) {
        long site = 0;
        const char *entered = aa_begin(descriptors[i], &site);
        aa_leave(&entered);
    }
    printf("%d %ld\n", PATHS, private_bytes() - before);
}
#endif

int main(int count, char **arguments) {
    REGION("main");
#if defined(PROBES)
    if (count == 2 && strcmp(arguments[1], "paths") == 0) {
        walk_paths();
        return 0;
    }
#endif
    if (count != 1 + THREADS)
        return 2;
    for (int i = 0; i < THREADS; i++) {
        CPU_ZERO(&places[i]);
        CPU_SET(atoi(arguments[1 + i]), &places[i]);
    }
    pthread_barrier_init(&together, NULL, THREADS);
    pthread_setaffinity_np(pthread_self(), sizeof *places, &places[0]);
    measure("loop", loop);
    measure("recursion", recursion);
    measure("alternation", alternation);
    measure("nesting", nesting);
    measure("two_threads", two_threads);
    return 0;
}
