/*
 * Small functions, called in four shapes; REGION stands where a function is entered.
 *
 * -DSTAMPS reads the clock twice, -DPROBES goes the way of an instrumented program: through the pointers that
 * a constructor looked up. Without either the compiler's own hooks may be switched on by its options.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define PLAIN __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline))
#define PAIRS 2000000
#define LEVELS 8
#define CHILDREN 10
#define FIB 28
#define FIB_CALLS 1028457 /* of fib(28), with itself */

#if defined(STAMPS)
static volatile unsigned long long stamp;
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
#define DESCRIPTOR(name) "aa1|function|" name "|shapes.c|" name "|0|1|2"
#define REGION(name)                                                                                         \
    __attribute__((cleanup(aa_leave))) const char *const guard =                                             \
        (aa_enter(DESCRIPTOR(name)), DESCRIPTOR(name))
#else
#define REGION(name) ((void)0)
#endif

#if defined(HOOKS)
PLAIN void __cyg_profile_func_enter(void *function, void *caller) {
    (void)function, (void)caller;
}
PLAIN void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
}
#endif

static volatile int sink;

static CALLED void leaf(void) {
    REGION("leaf");
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

/* CPU time: what else runs on the machine is not to be measured. */
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

static PLAIN void measure(const char *name, int (*shape)(void)) {
    shape();
    double start = now();
    int pairs = shape();
    printf("%s %.3f\n", name, (now() - start) / pairs);
}

int main(void) {
    REGION("main");
    measure("loop", loop);
    measure("recursion", recursion);
    measure("alternation", alternation);
    measure("nesting", nesting);
    return 0;
}
