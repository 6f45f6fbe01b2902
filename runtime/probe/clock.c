#define _GNU_SOURCE
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(AA_COUNTER) && defined(__x86_64__)
#include <cpuid.h>
#endif

/* nanoseconds: an anchor has an error of about 25 ns, so the rate has a relative error of 1e-5 */
#define CALIBRATION 3000000u
#define SYNCHRONISE_TRIES 4
#define READING 10000   /* nanoseconds; more than the 1000 or 2000 that reading both clocks takes */
#define SWITCH_TRIES 20 /* on a busy machine, a single try may end before the thread is switched out */
#define PERF_PAGE 4096

/* The word that must precede the address where an interrupted sequence continues (glibc's RSEQ_SIG). */
#if defined(AA_PORTABLE)
#elif defined(__x86_64__)
#define RSEQ_SIGNATURE 0x53053053u
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define RSEQ_SIGNATURE 0xd428bc00u
#endif

enum cpu_source { CPU_RSEQ, CPU_PERF_LOCK, CPU_SYSCALL };

static const char *const cpu_names[] = {"rseq", "perf-lock", "syscall"};

bool aa_clock_counter;

static struct {
    struct aa_anchor start;
    uint64_t start_real, start_cpu;
    double rate;
    enum cpu_source cpu;
    uint64_t bars;
    bool calibrated;
} clock_state = {.rate = 1.0, .cpu = CPU_SYSCALL};

uint64_t aa_clock_nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- ticks */

#if defined(AA_COUNTER) && defined(__x86_64__)
/* Returns whether the kernel lists the counter as a clock source. It removes counters that are unstable. */
static bool kernel_lists_counter(void) {
    char names[256] = "";
    long file =
        syscall(SYS_openat, AT_FDCWD, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
                O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return false;
    long length = syscall(SYS_read, file, names, sizeof names - 1);
    syscall(SYS_close, file);
    return length > 0 && strstr(names, "tsc");
}

static bool counter_is_invariant(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}
#endif

void aa_clock_load(void) {
#if defined(AA_COUNTER) && defined(__x86_64__)
    aa_clock_counter = counter_is_invariant() && kernel_lists_counter();
#elif defined(AA_COUNTER)
    aa_clock_counter = true;
#endif
    aa_clock_restart();
}

void aa_clock_restart(void) {
    clock_state.start = aa_clock_anchor();
    clock_state.start_real = aa_clock_nanoseconds(CLOCK_MONOTONIC_RAW);
    clock_state.start_cpu = aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

struct aa_anchor aa_clock_start(void) {
    return clock_state.start;
}

/* Takes several pairs of readings, and returns the pair with the shortest time between its readings. */
struct aa_anchor aa_clock_anchor(void) {
    struct aa_anchor best = {0, 0};
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        uint64_t before = aa_clock_ticks();
        uint64_t monotonic = aa_clock_nanoseconds(CLOCK_MONOTONIC);
        uint64_t width = aa_clock_ticks() - before;
        if (width < narrowest) {
            narrowest = width;
            best = (struct aa_anchor){monotonic, before + width / 2};
        }
    }
    return best;
}

double aa_clock_rate(void) {
    return clock_state.rate;
}

const char *aa_clock_wall_name(void) {
#if defined(AA_COUNTER)
    if (aa_clock_counter)
        return AA_COUNTER;
#endif
    return "clock_gettime";
}

const char *aa_clock_cpu_name(void) {
    return cpu_names[clock_state.cpu];
}

/* ---- the watched word */

/* Sets the word, and keeps the bars, which a signal handler may set or clear in the meantime. */
static void set_armed(struct aa_watch *watch, uint32_t word) {
    uint64_t before = watch->armed;
    while (!__atomic_compare_exchange_n(&watch->armed, &before, (before & ~(uint64_t)UINT32_MAX) | word,
                                        false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void be_switched_out(void) {
    struct timespec moment = {0, 1000};
    syscall(SYS_nanosleep, &moment, NULL);
}

/*
 * Offset and size of the thread's rseq area. They do not exist before glibc 2.35. The size is 0 if the area
 * is not registered.
 */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

#if defined(RSEQ_SIGNATURE)
/* a sequence that no thread ever executes, so none is ever inside it */
static const uint32_t never_executed[] = {0, RSEQ_SIGNATURE, 0};

/*
 * The kernel's struct rseq_cs: start of a sequence, its length, and where to continue after an
 * interruption.
 */
static const struct {
    uint32_t version, flags;
    const void *start;
    uint64_t length;
    const void *interrupted;
} sequence __attribute__((aligned(32))) = {0, 0, &never_executed[0], 1, &never_executed[2]};

static char *thread_pointer(void) {
#if defined(__x86_64__)
    char *pointer; /* GCC has a built-in function for this only since release 11 */
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
#else
    return __builtin_thread_pointer();
#endif
}

static volatile uint64_t *rseq_field(void) {
    char *area = thread_pointer() + __rseq_offset;
    return (volatile uint64_t *)(area + 8); /* follows cpu_id_start and cpu_id */
}

static bool rseq_registered(void) {
    return &__rseq_offset && &__rseq_size && __rseq_size;
}

/* Returns whether the kernel resets the field of a sleeping thread. This is not guaranteed. */
static bool rseq_works(void) {
    if (!rseq_registered())
        return false;
    volatile uint64_t *field = rseq_field();
    bool reset = false;
    for (int i = 0; i < SWITCH_TRIES && !reset; i++) {
        *field = (uintptr_t)&sequence;
        be_switched_out();
        reset = *field == 0;
    }
    *field = 0;
    return reset;
}

static void rseq_arm(struct aa_watch *watch) {
    *rseq_field() = (uintptr_t)&sequence;
    set_armed(watch, (uint32_t)(uintptr_t)&sequence);
}

static void rseq_open(struct aa_watch *watch) {
    watch->word = (volatile uint32_t *)rseq_field();
}

static void rseq_close(void) {
    *rseq_field() = 0;
}
#else
static bool rseq_works(void) {
    return false;
}
static void rseq_arm(struct aa_watch *watch) {
    (void)watch;
}
static void rseq_open(struct aa_watch *watch) {
    (void)watch;
}
static void rseq_close(void) {}
#endif

/*
 * Returns the page of a new event; null if there is none. The page stays mapped after its file descriptor is
 * closed, so the program's descriptors are not affected.
 */
static struct perf_event_mmap_page *perf_page(void) {
    struct perf_event_attr event = {.size = sizeof event,
                                    .type = PERF_TYPE_SOFTWARE,
                                    .config = PERF_COUNT_SW_DUMMY,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
    long file = syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0)
        return NULL;
    void *page = mmap(NULL, PERF_PAGE, PROT_READ, MAP_SHARED, (int)file, 0);
    syscall(SYS_close, file);
    return page == MAP_FAILED ? NULL : page;
}

static bool perf_works(void) {
    struct perf_event_mmap_page *page = perf_page();
    if (!page)
        return false;
    volatile uint32_t *lock = &page->lock;
    uint32_t before = *lock;
    for (int i = 0; i < SWITCH_TRIES && *lock == before; i++)
        be_switched_out();
    bool changed = *lock != before;
    munmap(page, PERF_PAGE);
    return changed;
}

static const uint32_t never_armed = 0;

static void watch_nothing(struct aa_watch *watch) {
    watch->word = (volatile uint32_t *)&never_armed;
    set_armed(watch, 1);
}

static bool watches_nothing(const struct aa_watch *watch) {
    return watch->word == &never_armed;
}

static void arm(struct aa_watch *watch) {
    if (watches_nothing(watch))
        return;
    if (clock_state.cpu == CPU_RSEQ)
        rseq_arm(watch);
    else
        set_armed(watch, *watch->word);
}

static bool cpu_works(enum cpu_source source) {
    return source == CPU_RSEQ ? rseq_works() : source == CPU_PERF_LOCK ? perf_works() : true;
}

static enum cpu_source choose_cpu(void) {
    const char *wanted = getenv("AUTOANALYZER_CPU_CLOCK");
    enum cpu_source source = CPU_RSEQ;
    while (wanted && source < CPU_SYSCALL && strcmp(wanted, cpu_names[source]) != 0)
        source++;
    while (!cpu_works(source))
        source++;
    return source;
}

void aa_clock_calibrate(void) {
    if (clock_state.calibrated)
        return;
    struct aa_anchor start = clock_state.start, now = aa_clock_anchor();
    while (now.monotonic - start.monotonic < CALIBRATION)
        now = aa_clock_anchor();
    clock_state.rate = (double)(now.ticks - start.ticks) / (double)(now.monotonic - start.monotonic);
    clock_state.cpu = choose_cpu();
    clock_state.calibrated = true;
}

void aa_watch_bar(uint64_t bars) {
    clock_state.bars = bars;
}

void aa_watch_open(struct aa_watch *watch) {
    aa_watch_open_at_start(watch);
    aa_watch_synchronise(watch);
    watch->owed = 0;
}

void aa_watch_open_at_start(struct aa_watch *watch) {
    struct perf_event_mmap_page *page;
    watch->real = clock_state.start_real;
    watch->cpu = clock_state.start_cpu;
    watch->owed = 0;
    watch->armed = clock_state.bars;
    watch_nothing(watch);
    if (clock_state.cpu == CPU_RSEQ)
        rseq_open(watch);
    else if (clock_state.cpu == CPU_PERF_LOCK && (page = perf_page()))
        watch->word = &page->lock;
}

/* Returns whether the thread was switched out since `start`, as far as the watch shows. */
static bool disturbed_since(const struct aa_watch *watch, uint64_t start, uint64_t now) {
    if (watches_nothing(watch))
        return (double)(now - start) > READING * clock_state.rate;
    return !aa_watch_is_quiet(watch);
}

static void owe(struct aa_watch *watch, uint64_t real, uint64_t cpu) {
    int64_t nanoseconds = (int64_t)(real - watch->real) - (int64_t)(cpu - watch->cpu);
    watch->owed += (int64_t)((double)nanoseconds * clock_state.rate);
    watch->real = real;
    watch->cpu = cpu;
}

uint64_t aa_watch_synchronise(struct aa_watch *watch) {
    uint64_t start, real, cpu, now;
    int tries = 0;
    do {
        arm(watch);
        start = aa_clock_ticks();
        real = aa_clock_nanoseconds(CLOCK_MONOTONIC_RAW);
        cpu = aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        now = aa_clock_ticks();
    } while (disturbed_since(watch, start, now) && ++tries < SYNCHRONISE_TRIES);
    owe(watch, real, cpu);
    return now;
}

uint64_t aa_watch_synchronise_from_outside(struct aa_watch *watch, uint32_t tid) {
    clockid_t clock = (clockid_t)(~tid << 3 | 6); /* the kernel's identifier of a thread's CPU clock */
    struct timespec cpu;
    if (clock_gettime(clock, &cpu) != 0)
        return 0;
    owe(watch, aa_clock_nanoseconds(CLOCK_MONOTONIC_RAW),
        (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec);
    return aa_clock_ticks();
}

void aa_watch_close(struct aa_watch *watch) {
    if (watches_nothing(watch))
        return;
    if (clock_state.cpu == CPU_RSEQ)
        rseq_close();
    else
        munmap((char *)watch->word - offsetof(struct perf_event_mmap_page, lock), PERF_PAGE);
    watch_nothing(watch);
}
