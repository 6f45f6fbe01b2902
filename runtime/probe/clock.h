/*
 * Ticks for wall time, and a watch that tells whether a thread has been off the CPU.
 *
 * CPU time costs a system call of half a microsecond, a time stamp ten nanoseconds. As long as a thread was
 * not switched out, both advance alike; so a word is watched that the kernel changes at every switch, and
 * only then the CPU clock is asked:
 *
 *   rseq       the rseq_cs field of the thread's restartable-sequences area, which the kernel sets to null
 *   perf-lock  the sequence number in the page of a perf event that counts nothing
 *   syscall    nothing to watch: the CPU clock is asked at every event
 */
#ifndef AA_CLOCK_H
#define AA_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define aa_likely(condition) __builtin_expect(!!(condition), 1)
#define aa_unlikely(condition) __builtin_expect(!!(condition), 0)

/* One moment on two clocks. */
struct aa_anchor {
    uint64_t monotonic; /* nanoseconds of CLOCK_MONOTONIC */
    uint64_t ticks;
};

struct aa_watch {
    volatile uint32_t *word; /* differs from armed once the thread was switched out */
    uint64_t armed;          /* the word, and above it AA_BAR_..., which keep events from their fast path */
    uint64_t real;           /* nanoseconds of CLOCK_MONOTONIC_RAW at the last synchronisation */
    uint64_t cpu;            /* nanoseconds of the thread's CPU time there */
    int64_t owed;            /* ticks off the CPU that are not booked yet */
};

/* With one of these bits armed equals no word, so that a single comparison covers them, too. */
#define AA_BAR_BOOKING (1ull << 32) /* an event books more than a reading of the counter */
#define AA_BAR_SITES (1ull << 33)   /* the thread has open sites; see site.h */

/* Whether the thread was not switched out. */
static inline bool aa_watch_is_quiet(const struct aa_watch *watch) {
    return *watch->word == (uint32_t)watch->armed;
}

extern bool aa_clock_counter; /* the processor's time stamp counter can be trusted */

uint64_t aa_clock_nanoseconds(clockid_t clock);

/* Where the counter can be trusted. */
#if defined(AA_FAKE_CLOCK)
uint64_t aa_clock_count(void); /* of a test: time passes as the test says */
#else
static inline uint64_t aa_clock_count(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc(); /* x86intrin.h, which has a name for it, takes longer than all the rest */
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}
#endif

static inline uint64_t aa_clock_ticks(void) {
    return aa_likely(aa_clock_counter) ? aa_clock_count() : aa_clock_nanoseconds(CLOCK_MONOTONIC);
}

/* Choose where ticks come from, and take the anchor of the process's start. */
void aa_clock_load(void);
struct aa_anchor aa_clock_start(void);

/* Take the start's readings anew, in the child of a fork. */
void aa_clock_restart(void);

/* Choose the watch, and measure the ticks' rate since the start: spins for the rest of three milliseconds. */
void aa_clock_calibrate(void);
struct aa_anchor aa_clock_anchor(void);
double aa_clock_rate(void); /* ticks a nanosecond */
const char *aa_clock_wall_name(void);
const char *aa_clock_cpu_name(void);

/* Of all watches that are opened from now on. */
void aa_watch_bar(uint64_t bars);

/*
 * A watch belongs to the thread that opens it. Opened at the process's start, it takes the start's readings,
 * which are those of the main thread. Synchronising returns the time stamp at which it happened.
 */
void aa_watch_open(struct aa_watch *watch);
void aa_watch_open_at_start(struct aa_watch *watch);
uint64_t aa_watch_synchronise(struct aa_watch *watch);
void aa_watch_close(struct aa_watch *watch);

/* Synchronise the watch of another thread, which stays disturbed; 0, if the thread is gone. */
uint64_t aa_watch_synchronise_from_outside(struct aa_watch *watch, uint32_t tid);

#endif
