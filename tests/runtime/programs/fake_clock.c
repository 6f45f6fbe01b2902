/*
 * A clock for tests, in place of runtime/probe/clock.c: each reading takes 10 ns, and all other code takes only the
 * time that the program lets pass. So regions and probes take the same time on all machines.
 *
 * Compile all sources with -DAA_FAKE_CLOCK. A thread is off its core only if the program lets a hypervisor take it.
 */
#include "clock.h"

#define READING 10u

__attribute__((visibility("default"))) void fake_clock_pass(uint64_t nanoseconds);
__attribute__((visibility("default"))) void fake_clock_take(uint64_t nanoseconds);

bool aa_clock_counter = true;

static uint64_t now = 1000000000u;
static struct aa_anchor start;
static volatile uint32_t never_switched;
static uint64_t bars, taken;

uint64_t aa_clock_count(void) {
    return __atomic_add_fetch(&now, READING, __ATOMIC_RELAXED);
}

void fake_clock_pass(uint64_t nanoseconds) {
    __atomic_add_fetch(&now, nanoseconds, __ATOMIC_RELAXED);
}

/* The hypervisor takes the core, which the library's watch does not see. */
void fake_clock_take(uint64_t nanoseconds) {
    __atomic_add_fetch(&taken, nanoseconds, __ATOMIC_RELAXED);
    fake_clock_pass(nanoseconds);
}

uint64_t aa_clock_nanoseconds(clockid_t clock) {
    (void)clock;
    return aa_clock_count();
}

void aa_clock_load(void) {
    aa_clock_restart();
}

void aa_clock_restart(void) {
    start = aa_clock_anchor();
}

struct aa_anchor aa_clock_start(void) {
    return start;
}

struct aa_anchor aa_clock_anchor(void) {
    uint64_t moment = aa_clock_count();
    return (struct aa_anchor){moment, moment};
}

void aa_clock_calibrate(void) {}

double aa_clock_rate(void) {
    return 1;
}

const char *aa_clock_wall_name(void) {
    return "fake";
}

const char *aa_clock_cpu_name(void) {
    return "fake";
}

void aa_watch_bar(uint64_t of_all) {
    bars = of_all;
}

void aa_watch_open_at_start(struct aa_watch *watch) {
    *watch = (struct aa_watch){.word = &never_switched, .armed = bars, .real = taken};
}

void aa_watch_open(struct aa_watch *watch) {
    aa_watch_open_at_start(watch);
}

uint64_t aa_watch_synchronise(struct aa_watch *watch) {
    watch->owed += (int64_t)(taken - watch->real);
    watch->real = taken;
    return aa_clock_count();
}

uint64_t aa_watch_synchronise_from_outside(struct aa_watch *watch, uint32_t tid) {
    (void)watch, (void)tid;
    return aa_clock_count();
}

void aa_watch_close(struct aa_watch *watch) {
    (void)watch;
}
