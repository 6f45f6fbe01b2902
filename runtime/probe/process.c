#define _GNU_SOURCE
#include "process.h"
#include "book.h"
#include "counter.h"
#include "delay.h"
#include "fork.h"
#include "key.h"
#include "price.h"
#include "object.h"
#include "region.h"
#include "sample.h"
#include "script.h"
#include "shard_folder.h"
#include "short_paths.h"
#include "size.h"
#include "throttle.h"
#include "trace.h"
#include "warning.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEFAULT_LIMIT ((uint64_t)256 << 20)

enum recording { NOT_LOADED, OFF, WAITING, RECORDING };

static struct {
    _Atomic int recording;
    uint64_t limit;
    int32_t forked_from;
    void (*_Atomic before_fork)(void), (*_Atomic in_child)(void); /* registered by thread.c; null: none */
} process;

/* ---- the environment */

static uint64_t memory_limit(void) {
    const char *text = getenv("AUTOANALYZER_MAX_MEMORY");
    if (!text || !*text)
        return DEFAULT_LIMIT;
    uint64_t limit;
    if (aa_size_of(text, &limit))
        return limit;
    aa_warn("AUTOANALYZER_MAX_MEMORY: expected a size, such as 256M, found '%s'; using 256M", text);
    return DEFAULT_LIMIT;
}

/* ---- start */

/* Handlers are loaded before the call: GCC 12 calls an atomic pointer without loading it atomically. */
static void before_fork(void) {
    void (*handler)(void) = process.before_fork;
    if (handler)
        handler();
}

/*
 * Forgets the parent's data in the child of a fork. The child is a separate process, which gets its own shard
 * when it enters a region.
 */
static void begin_in_child(void) {
    if (process.recording == OFF)
        return;
    process.forked_from = (int32_t)getppid();
    aa_shard_forget();
    aa_region_forget();
    aa_object_forget_all();
    aa_trace_forget();
    void (*handler)(void) = process.in_child;
    if (handler)
        handler();
    aa_clock_restart();
    aa_delay_start();
    aa_counter_restart();
    process.recording = WAITING;
}

/*
 * Reads the environment. The constructors of instrumented libraries may run, and enter regions, before this
 * constructor.
 */
static __attribute__((constructor)) void load(void) {
    if (process.recording != NOT_LOADED)
        return;
    const char *folder = getenv("AUTOANALYZER_SHARDS");
    if (!folder || !*folder || !aa_shard_folder_keep(folder)) {
        process.recording = OFF;
        return;
    }
    process.limit = memory_limit();
    aa_clock_load();
    aa_delay_start();
    aa_counter_load();
    aa_throttle_load();
    aa_short_paths_load();
    aa_trace_load();
    aa_sample_load(process.limit);
    aa_key_load();
    aa_fork_watch(before_fork, begin_in_child);
    process.recording = WAITING;
}

bool aa_process_records(void) {
    if (process.recording == NOT_LOADED)
        load();
    return process.recording != OFF;
}

void aa_process_forks(void (*before)(void), void (*in_child)(void)) {
    process.before_fork = before;
    process.in_child = in_child;
}

static int usable_cpus(void) {
    cpu_set_t cpus;
    return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : -1;
}

static void describe_process(struct aa_header *header) {
    header->pid = (int32_t)getpid();
    header->forked_from = process.forked_from;
    header->rank = aa_launched_rank();
    header->size = aa_launched_size();
    header->thread_level = -1;
    header->cpus = usable_cpus();
    syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", header->executable, sizeof header->executable - 1);
    aa_script_name(header->executable, header->script, sizeof header->script);
}

static void describe_clocks(struct aa_header *header) {
    header->ticks_per_second = aa_clock_rate() * 1e9;
    aa_trace_describe(header); /* before measuring prices, because events test whether a sample is due */
    header->pair_cost = (float)(aa_price_of(AA_PAIR) / aa_clock_rate());
    /* without work, reading the clock hides the stub's instructions */
    double stub = aa_price_of(AA_FORTRAN_PAIR) - aa_price_of(AA_WORKING_PAIR);
    header->fortran_cost = header->pair_cost + (stub > 0 ? (float)(stub / aa_clock_rate()) : 0);
    header->throttled_cost = (float)(aa_price_of(AA_THROTTLED_PAIR) / aa_clock_rate());
    header->left_cost = (float)(aa_price_of(AA_LEFT_PAIR) / aa_clock_rate());
    header->opened_cost = (float)(aa_price_of(AA_OPENED_PAIR) / aa_clock_rate());
    header->call_cost = (float)(aa_price_of(AA_CALL) / aa_clock_rate());
    header->passing_cost = (float)(aa_price_of_passing(AA_IN_SITE) / aa_clock_rate());
    header->slot_cost = (float)(aa_price_of_passing(AA_IN_SLOT) / aa_clock_rate());
    header->start = aa_clock_start();
    header->latest = aa_clock_anchor();
    header->start_realtime =
        aa_clock_nanoseconds(CLOCK_REALTIME) - (header->latest.monotonic - header->start.monotonic);
    aa_delay_take(header);
    strncpy(header->wall_clock, aa_clock_wall_name(), sizeof header->wall_clock - 1);
    strncpy(header->cpu_clock, aa_clock_cpu_name(), sizeof header->cpu_clock - 1);
}

static struct aa_header *create(void) {
    struct aa_header *header = aa_shard_create(aa_shard_folder(), process.limit, aa_trace_room());
    if (!header && aa_shard_folder_move())
        header = aa_shard_create(aa_shard_folder(), process.limit, aa_trace_room());
    if (!header) {
        aa_warn("cannot create %s: %s; nothing is recorded", aa_shard_path(), strerror(errno));
        process.recording = OFF;
        return NULL;
    }
    aa_clock_calibrate();
    aa_counter_open();
    aa_book_prepare();
    describe_process(header);
    aa_counter_describe(header);
    describe_clocks(header);
    aa_shard_publish();
    process.recording = RECORDING;
    return header;
}

struct aa_header *aa_process_shard(void) {
    return process.recording == WAITING ? create() : aa_shard();
}

struct aa_header *aa_process_recorded(void) {
    return process.recording == RECORDING ? aa_shard() : NULL;
}
