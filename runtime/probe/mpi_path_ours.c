/* The basis of all files for the critical path's messages: the tool's communicator, a lock, and the cost. */
#include <pthread.h>
#include <string.h>

#include "clock.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"
#include "mpi_request_table.h"
#include "throttle.h"

#define SOONEST 1e8 /* nanoseconds after which the cost is first compared with the limit */

bool aa_mpi_path;
struct aa_path_ours aa_path_ours;

static uint64_t began;
static bool is_limited; /* whether the cost has a limit: the share of the run that measuring may take */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void aa_path_lock(void) {
    if (aa_requests_are_shared())
        pthread_mutex_lock(&mutex);
}

void aa_path_unlock(void) {
    if (aa_requests_are_shared())
        pthread_mutex_unlock(&mutex);
}

void aa_path_write(struct aa_path *path) {
    if (!aa_path_here(path))
        memset(path, 0, offsetof(struct aa_path, entries));
    path->from = aa_path_ours.me;
}

/*
 * The cost of the path so far: reading chains, and messages. Each message counts as much as a message from
 * a process to itself, because on a busy machine, messages between processes mostly wait for other
 * processes or for a core. A non-blocking collective, or a collective in which the program's processes wait
 * anyway, counts as log2(members) messages. An exchange after a collective of the program counts by its CPU
 * time. The cost is always in the shard, so it is known even if the process is killed.
 */
#define ROUNDS 5
#define IN_A_ROUND 20

#define AGAIN 1.05 /* the cost is compared again, with a system call, when it has grown by this factor */

static uint64_t on_before;       /* nanoseconds of CPU time before the path began */
static _Atomic double judged;    /* nanoseconds: the cost is compared again once it exceeds this */
static double price;             /* ticks of a message that is sent and received */
static _Atomic uint64_t halves;  /* number of messages sent, plus number of messages received */
static _Atomic uint64_t waiting; /* nanoseconds in calls that wait for others */

static void count(uint64_t more_halves) {
    halves += more_halves;
    uint64_t ticks = aa_path_taken() + (uint64_t)(price * (double)halves / 2) +
                     (uint64_t)((double)waiting * aa_clock_rate());
    atomic_store_explicit(&aa_shard()->path_ticks, ticks, memory_order_relaxed);
}

void aa_path_count_message(void) {
    count(1);
    aa_shard()->path_messages++;
}

void aa_path_count_collective(int members) {
    uint64_t levels = 0;
    for (; members > 1; members = (members + 1) / 2)
        levels++;
    count(2 * levels);
    aa_shard()->path_messages++;
}

uint64_t aa_path_start_waiting(void) {
    return aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

void aa_path_count_waiting(uint64_t since) {
    waiting += aa_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - since;
    count(0);
}

void aa_path_count_slots(void) {
    count(0);
}

void aa_path_find_price(void (*exchange)(void)) {
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t since = aa_clock_ticks();
        for (int i = 0; i < IN_A_ROUND; i++)
            exchange();
        double took = (double)(aa_clock_ticks() - since) / IN_A_ROUND;
        price = round == 0 || took < price ? took : price;
    }
    count(2 * ROUNDS * IN_A_ROUND);
}

void aa_path_begins(bool limited) {
    is_limited = limited;
    began = aa_clock_ticks();
    on_before = aa_clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* Returns the process's CPU time since the path began, in nanoseconds, but at most the elapsed time. CPU time
 * is used because a process that hardly runs takes no time from others. */
static double own_time(uint64_t passed) {
    uint64_t on = aa_clock_nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - on_before;
    double elapsed = (double)passed / aa_clock_rate();
    double own = (double)on < elapsed ? (double)on : elapsed;
    return own > SOONEST ? own : SOONEST;
}

bool aa_path_is_too_dear(void) {
    uint64_t passed = aa_clock_ticks() - began;
    double allowed = aa_throttle_share(), spent = (double)aa_shard()->path_ticks / aa_clock_rate();
    if (!is_limited || allowed <= 0 || (double)passed < SOONEST * aa_clock_rate() || spent < judged)
        return false;
    judged = spent * AGAIN;
    return spent > allowed * own_time(passed);
}
