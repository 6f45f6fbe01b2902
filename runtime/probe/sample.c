#define _GNU_SOURCE
#include "sample.h"
#include "sample_stack.h"
#include "self.h"
#include "warning.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define ROOM 2048u /* five times as many entries as CoMD, miniFE and NPB MG need */
#define LEAST_ROOM 128u
#define PART_OF_MEMORY 128u /* a table takes at most 1/128 of the shard's limit */
#define MOST_PER_SECOND 10000u
#define TIMELY 25000000u /* nanoseconds: 2.5 timer ticks of the slowest kernels (100 ticks per second) */
#define TIMELY_PERIODS 4u
#define SHARE_BITS 56          /* no address of a program reaches this bit */
#define MASKINGS_PER_SAMPLE 4u /* further pauses per sample; a pause takes eight system calls */
/* number of pauses allowed before any sample, because programs may start many helpers */
#define MASKINGS 16384u

/* The first kernel with POSIX_CPU_TIMERS_TASK_WORK, which sends the signal when it returns to the program. */
#define KERNEL(major, minor) ((major) << 16 | (minor))
#if defined(__x86_64__) || defined(__i386__)
#define LEAST_KERNEL KERNEL(5u, 9u)
#elif defined(__aarch64__)
#define LEAST_KERNEL KERNEL(5u, 16u)
#elif defined(__riscv)
#define LEAST_KERNEL KERNEL(6u, 1u)
#elif defined(__powerpc64__)
#define LEAST_KERNEL KERNEL(6u, 16u)
#else
#define LEAST_KERNEL UINT32_MAX
#endif

static uint64_t period; /* nanoseconds; 0: no samples */
static uint32_t most;   /* maximum number of periods before a signal arrives, unless it was blocked */
static uint32_t room;   /* number of entries in a table */
static bool is_old_kernel;

/* While the calling thread blocks the signal, its timer is stopped. */
static _Thread_local struct {
    bool is_on;
    uint32_t count;   /* number of all pauses */
    uint64_t left;    /* nanoseconds between the end of the pause and the next sample */
    uint64_t started; /* CPU time when the pause began */
} masked AA_INITIAL_EXEC;

static void stop_timer(struct aa_samples *samples) {
    uint32_t timer = __atomic_exchange_n(&samples->timer, 0, __ATOMIC_SEQ_CST);
    if (timer)
        syscall(SYS_timer_delete, (int)timer - 1);
}

static void end(struct aa_samples *samples, enum aa_sampling state) {
    int error = errno;
    stop_timer(samples);
    samples->state = state;
    errno = error;
}

/* ---- in the handler */

static uint64_t next_instruction(const ucontext_t *context) {
#if defined(AA_PORTABLE)
    (void)context;
    return 0;
#elif defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#elif defined(__powerpc64__)
    return context->uc_mcontext.gp_regs[32]; /* PT_NIP in asm/ptrace.h */
#else
    (void)context;
    return 0;
#endif
}

/*
 * Adds periods to the entry for a place and a node, which is created if necessary; returns false if the table
 * is too full. A quarter of the table is reserved for entries without an address, so that each node's time
 * remains known.
 */
static bool add(struct aa_samples *samples, uint64_t place, uint32_t node, uint32_t periods) {
    bool has_address = place << (64 - SHARE_BITS) != 0;
    uint64_t start = (place ^ (uint64_t)node << 32) * 0x9e3779b97f4a7c15u >> 32;
    for (uint32_t i = 0; i < samples->room; i++) {
        struct aa_sample_count *here = &samples->counts[(start + i) & (samples->room - 1)];
        if (!here->node) {
            if (has_address && samples->used >= samples->room / 4 * 3)
                return false;
            samples->used++;
            here->place = place;
            aa_in_order();
            here->node = node;
        }
        if (here->node == node && here->place == place) {
            here->periods += periods;
            return true;
        }
    }
    return false;
}

/* Handles the signal. Uses only memory of the calling thread. Nothing else writes to this memory, because the
 * signal is blocked in the handler. */
static void take(int number, siginfo_t *info, void *context) {
    (void)number;
    const struct aa_thread *thread = aa_thread_self;
    if (!thread || !thread->samples || thread->idle || info->si_code != SI_TIMER)
        return;
    struct aa_samples *samples = thread->samples;
    if (!aa_sample_stack_is_known()) {
        end(samples, AA_SAMPLING_SMALL);
        return;
    }
    uint32_t periods = 1 + (uint32_t)info->si_overrun;
    uint32_t node = (uint32_t)(((char *)thread->current - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
    uint64_t share = (uint64_t)(thread->call.share & 0xff) << SHARE_BITS;
    samples->signals++;
    samples->periods += periods;
    /* the signal was blocked, or a hypervisor took the core, so it is unknown where the thread was */
    if (periods > most + 1) {
        samples->lost += periods - 1;
        periods = 1;
    }
    if (!share && add(samples, next_instruction(context), node, periods))
        return;
    if (!share)
        samples->crowded += periods;
    if (!add(samples, share, node, periods))
        samples->lost += periods;
}

/* ---- timers */

/* Returns a random moment in the first period, so that short-lived threads get their share of samples. */
static uint64_t first_time(void) {
    uint64_t seed = aa_clock_ticks() + (uint64_t)syscall(SYS_gettid) * 0x9e3779b97f4a7c15u; /* SplitMix64 */
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
    return 1 + (seed ^ seed >> 31) % period;
}

static struct timespec time_of(uint64_t nanoseconds) {
    return (struct timespec){(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
}

static uint64_t nanoseconds_of(struct timespec time) {
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t cpu_time(void) {
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return nanoseconds_of(now);
}

/* Sets the timer to expire after this time, or never if it is 0; returns the time that remained. */
static uint64_t set_timer(uint32_t timer, uint64_t nanoseconds) {
    struct itimerspec times = {{0, 0}, time_of(nanoseconds)}, before = {{0, 0}, {0, 0}};
    if (nanoseconds)
        times.it_interval = time_of(period);
    syscall(SYS_timer_settime, (int)timer - 1, 0, &times, &before);
    return nanoseconds_of(before.it_value);
}

static void start_timer(struct aa_samples *samples) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG};
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    int timer;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) {
        samples->state = AA_SAMPLING_REFUSED;
        return;
    }
    masked.left = first_time();
    masked.started = cpu_time();
    __atomic_store_n(&samples->timer, (uint32_t)timer + 1, __ATOMIC_SEQ_CST);
    if (!masked.is_on)
        set_timer((uint32_t)timer + 1, masked.left);
    if (!aa_sample_has_signal()) /* the program has begun to handle the signal in the meantime */
        stop_timer(samples);
}

/* ---- threads */

static bool has_old_kernel(void) {
    struct utsname system;
    unsigned major, minor;
    return uname(&system) != 0 || sscanf(system.release, "%u.%u", &major, &minor) != 2 ||
           KERNEL(major, minor) < LEAST_KERNEL;
}

void aa_sample_load(uint64_t memory) {
    const char *text = getenv("AUTOANALYZER_SAMPLE");
    char *end;
    if (!text || !*text)
        return;
    unsigned long rate = strtoul(text, &end, 10);
    if (*end || rate > MOST_PER_SECOND) {
        aa_warn("AUTOANALYZER_SAMPLE: expected 0 to %u samples per second, found '%s'; no samples are taken",
                MOST_PER_SECOND, text);
        return;
    }
    if (!rate)
        return;
    period = 1000000000 / rate;
    most = period * TIMELY_PERIODS > TIMELY ? TIMELY_PERIODS : (uint32_t)(TIMELY / period);
    is_old_kernel = has_old_kernel();
    for (room = ROOM; room > LEAST_ROOM && room * sizeof(struct aa_sample_count) > memory / PART_OF_MEMORY;)
        room /= 2;
}

bool aa_sample_is_wanted(void) {
    return period && !is_old_kernel;
}

static struct aa_samples *append(const struct aa_thread *thread, uint32_t entries) {
    struct aa_samples *samples;
    samples = aa_shard_append(AA_RECORD_SAMPLES, sizeof *samples + entries * sizeof *samples->counts);
    if (!samples)
        return NULL;
    samples->thread = thread->index;
    samples->room = entries;
    samples->period = period;
    aa_shard_publish();
    return samples;
}

/* Ends all samples, because the program handles the signal itself. Takes no lock, because the caller may be a
 * signal handler; this is safe, because records are only ever appended. */
static void leave_signal(void) {
    for (struct aa_record *record = NULL; aa_shard() && (record = aa_shard_next(record));) {
        if (record->type == AA_RECORD_SAMPLES) {
            stop_timer((struct aa_samples *)record);
            ((struct aa_samples *)record)->state = AA_SAMPLING_THEIRS;
        }
    }
}

static enum aa_sampling state_of_thread(const sigset_t *blocked) {
    if (is_old_kernel)
        return AA_SAMPLING_OLD_KERNEL;
    if (!aa_sample_take_signal(take, leave_signal))
        return AA_SAMPLING_THEIRS;
    if (aa_sample_stack_is_small())
        return AA_SAMPLING_SMALL;
    return sigismember(blocked, SIGURG) ? AA_SAMPLING_BLOCKED : AA_SAMPLING_ON;
}

static bool takes_some(enum aa_sampling state) {
    return state == AA_SAMPLING_ON || state == AA_SAMPLING_BLOCKED;
}

void aa_sample_begin(struct aa_thread *thread, const sigset_t *before) {
    if (!period)
        return;
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    enum aa_sampling state = state_of_thread(before);
    if (!thread->samples || (!thread->samples->room && takes_some(state)))
        thread->samples = append(thread, takes_some(state) ? room : 0);
    if (thread->samples) {
        thread->samples->state = state;
        masked.is_on = state == AA_SAMPLING_BLOCKED;
        if (takes_some(state))
            start_timer(thread->samples);
    }
    aa_shard_unlock();
    aa_sample_note_objects();
    aa_section_end(section);
}

void aa_sample_end(struct aa_thread *thread) {
    if (thread->samples)
        stop_timer(thread->samples);
}

/* ---- threads that block the signal, or have small stacks */

/*
 * Returns the calling thread's samples, if it takes samples. The child of a vfork, which shares its parent's
 * memory, takes none.
 */
static struct aa_samples *own_samples(void) {
    const struct aa_thread *thread = aa_thread_self;
    struct aa_samples *samples = thread ? thread->samples : NULL;
    if (!samples || !__atomic_load_n(&samples->timer, __ATOMIC_SEQ_CST))
        return NULL;
    return (uint32_t)syscall(SYS_gettid) == thread->tid ? samples : NULL;
}

bool aa_sample_is_taken(void) {
    const struct aa_thread *thread = aa_thread_self;
    return thread && thread->samples && thread->samples->timer;
}

bool aa_sample_goes_on(void) {
    return aa_sample_is_taken() && !masked.is_on;
}

void aa_sample_pause(void) {
    int error = errno;
    struct aa_samples *samples = masked.is_on ? NULL : own_samples();
    if (samples && ++masked.count > MASKINGS + MASKINGS_PER_SAMPLE * samples->signals) {
        end(samples, AA_SAMPLING_MASKING);
    } else if (samples) {
        masked.left = set_timer(samples->timer, 0);
        masked.started = cpu_time();
        masked.is_on = true;
        samples->state = AA_SAMPLING_BLOCKED;
    }
    errno = error;
}

/* Resumes sampling. The periods of the pause count as lost. */
void aa_sample_resume(void) {
    int error = errno;
    struct aa_samples *samples = masked.is_on ? own_samples() : NULL;
    if (samples) {
        uint64_t lost = (cpu_time() - masked.started) / period;
        samples->periods += lost;
        samples->lost += lost;
        samples->state = AA_SAMPLING_ON;
        masked.is_on = false;
        set_timer(samples->timer, masked.left ? masked.left : period);
        if (!aa_sample_has_signal())
            end(samples, AA_SAMPLING_THEIRS);
    }
    errno = error;
}

void aa_sample_use_stack(size_t bytes) {
    aa_sample_stack_add(bytes);
    if (!period || !aa_sample_stack_is_small())
        return;
    int error = errno;
    struct aa_samples *samples = own_samples();
    if (samples)
        end(samples, AA_SAMPLING_SMALL);
    errno = error;
}

/* The child of a fork does not inherit its parent's timers. */
void aa_sample_forget(void) {
    aa_sample_forget_objects();
}
