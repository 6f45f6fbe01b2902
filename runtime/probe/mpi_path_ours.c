/* What all parts of the critical path's messages need: what is ours, turns of threads, and the price. */
#include <pthread.h>
#include <string.h>

#include "clock.h"
#include "mpi_path.h"
#include "mpi_path_parts.h"
#include "mpi_request_table.h"
#include "throttle.h"

#define SOONEST 1e8 /* nanoseconds after which the price is judged, by as many at least */

bool aa_mpi_path;
struct aa_path_ours aa_path_ours;

static uint64_t began;
static bool is_limited; /* to the share that measuring may take */

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
    if (aa_path_has_ended || !aa_path_here(path))
        memset(path, 0, offsetof(struct aa_path, entries));
    path->from = aa_path_ours.me;
}

/*
 * What the path has cost: what was looked at for it, and messages, each as much as one takes from a process
 * to itself, as what those between processes take on a busy machine is a wait for others or for a processor.
 * A collective that goes on meanwhile, or in which all would wait besides, is as many as the logarithm of its
 * members says; one after the program's takes what it takes. It stands in the shard all the time, so that a
 * killed process leaves it.
 */
#define ROUNDS 5
#define IN_A_ROUND 20

#define AGAIN 1.05 /* it is judged again, which is a system call, once it has grown so much */

static uint64_t on_before;       /* nanoseconds that the process was on a processor before */
static _Atomic double judged;    /* nanoseconds that were spent, until which it is not judged again */
static double price;             /* ticks of a message that is sent and received */
static _Atomic uint64_t halves;  /* messages sent, and messages received */
static _Atomic uint64_t waiting; /* nanoseconds in calls that wait for others */

static void count(uint64_t more_halves) {
    halves += more_halves;
    aa_shard()->path_ticks = aa_path_taken() + (uint64_t)(price * (double)halves / 2) +
                             (uint64_t)((double)waiting * aa_clock_rate());
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

/* The time that has passed; of ranks that share processors, that in which this one had one. What hardly had
 * one takes nothing from others. */
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
