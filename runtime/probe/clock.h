/*
 * Ticks for wall time, and a watch that shows whether a thread has been off the CPU.
 *
 * Reading CPU time is a system call that takes half a microsecond; a time stamp takes ten nanoseconds. As
 * long as a thread is not switched out, both advance at the same rate. The library therefore watches a word
 * that the kernel changes at every switch, and reads the CPU clock only after a switch:
 *
 *   rseq       the rseq_cs field of the thread's restartable-sequences area, which the kernel sets to null
 *   perf-lock  the sequence number in the page of a perf event that counts nothing
 *   syscall    no watch: the CPU clock is read at every event
 */
#ifndef AA_CLOCK_H
#define AA_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define aa_likely(condition) __builtin_expect(!!(condition), 1)
#define aa_unlikely(condition) __builtin_expect(!!(condition), 0)

/* The same moment on two clocks. */
struct aa_anchor {
    uint64_t monotonic; /* nanoseconds of CLOCK_MONOTONIC */
    uint64_t ticks;
};

struct aa_watch {
    volatile uint32_t *word; /* differs from `armed` after the thread was switched out */
    /* lower half: the word's value while the thread runs; upper half: AA_BAR_... flags, which keep events
     * from the fast path */
    uint64_t armed;
    uint64_t real; /* nanoseconds of CLOCK_MONOTONIC_RAW at the last synchronisation */
    uint64_t cpu;  /* nanoseconds of the thread's CPU time at the same moment */
    int64_t owed;  /* ticks off the CPU that are not booked yet */
};

/* If one of these bits is set, `armed` differs from every word, so a single comparison covers all cases. */
#define AA_BAR_BOOKING (1ull << 32) /* an event needs more than a reading of the processor's counter */
#define AA_BAR_SITES (1ull << 33)   /* the thread has open sites; see site.h */

/* Returns whether the thread was not switched out since the watch was last synchronised. */
static inline bool aa_watch_is_quiet(const struct aa_watch *watch) {
    return *watch->word == (uint32_t)watch->armed;
}

/*
 * The name of the processor's counter, if the library can read it. With AA_PORTABLE, which tests use, the
 * library is built as if for an unsupported processor.
 */
#if defined(AA_PORTABLE)
#elif defined(__x86_64__)
#define AA_COUNTER "tsc"
#elif defined(__aarch64__)
#define AA_COUNTER "cntvct"
#elif defined(__powerpc64__)
#define AA_COUNTER "timebase"
#endif

extern bool aa_clock_counter; /* whether ticks are the processor's counter, because it is reliable */

/* Returns the time of a POSIX clock, in nanoseconds. */
uint64_t aa_clock_nanoseconds(clockid_t clock);

/* Returns the processor's counter; only for use while aa_clock_counter is true. */
#if defined(AA_FAKE_CLOCK)
uint64_t aa_clock_count(void); /* in tests, which control the time */
#else
static inline uint64_t aa_clock_count(void) {
#if !defined(AA_COUNTER)
    return 0;
#elif defined(__x86_64__)
    /* the built-in function, because x86intrin.h takes longer to compile than everything else */
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return __builtin_ppc_get_timebase();
#endif
}
#endif

/* Returns the current ticks: the processor's counter if it is reliable, otherwise nanoseconds. */
static inline uint64_t aa_clock_ticks(void) {
    return aa_likely(aa_clock_counter) ? aa_clock_count() : aa_clock_nanoseconds(CLOCK_MONOTONIC);
}

/* Chooses the source of ticks and reads the clocks; called once, when the library is loaded. */
void aa_clock_load(void);
/*
 * Returns the anchor at the process's start: when aa_clock_load or, in the child of a fork,
 * aa_clock_restart ran.
 */
struct aa_anchor aa_clock_start(void);

/* Reads the clocks again in the child of a fork, as the start of this process. */
void aa_clock_restart(void);

/*
 * Chooses the watch and measures the ticks per nanosecond since the start; a second call does nothing. Spins
 * until at least three milliseconds have passed since the start, because the rate would otherwise be too
 * imprecise.
 */
void aa_clock_calibrate(void);
/* Returns an anchor for the current moment. */
struct aa_anchor aa_clock_anchor(void);
double aa_clock_rate(void); /* ticks per nanosecond */
/*
 * Return the sources of ticks and of CPU time: AA_COUNTER or "clock_gettime", and "rseq", "perf-lock" or
 * "syscall".
 */
const char *aa_clock_wall_name(void);
const char *aa_clock_cpu_name(void);

/* From now on, sets these AA_BAR_... flags in all watches that are opened. */
void aa_watch_bar(uint64_t bars);

/*
 * Open, synchronise and close the watch of the calling thread. The main thread's watch begins at the start of
 * the process, so that no time is lost. Synchronising reads the CPU clock, adds the time off the CPU to
 * `owed`, and returns the ticks of that moment.
 */
void aa_watch_open(struct aa_watch *watch);
void aa_watch_open_at_start(struct aa_watch *watch);
uint64_t aa_watch_synchronise(struct aa_watch *watch);
void aa_watch_close(struct aa_watch *watch);

/*
 * Synchronises the watch of another thread, which continues to count as switched out. Returns the current
 * ticks, or 0 if the thread has ended. tid: the kernel's identifier of the thread.
 */
uint64_t aa_watch_synchronise_from_outside(struct aa_watch *watch, uint32_t tid);

#endif
