#define _GNU_SOURCE
#include "book.h"
#include "counter.h"
#include "delay.h"
#include "rare.h"
#include "site.h"
#include "throttle.h"
#include "trace.h"
#include "usage.h"

#define ANCHOR_AGE 1e8 /* nanoseconds after which the anchor is renewed */

bool aa_book_is_quick;
bool aa_book_goes_on;

void aa_book_prepare(void) {
    aa_book_is_quick = aa_clock_counter && !aa_counting;
    aa_watch_bar(aa_book_is_quick ? 0 : AA_BAR_BOOKING);
    aa_book_goes_on = aa_clock_counter && aa_counter_goes_on;
}

/*
 * Books the thread's time off the CPU, but at most the whole interval of `took` ticks. More time may be owed,
 * because time that a hypervisor takes from the machine does not trigger the watch, and is found only at the
 * end of a long interval. Negative time may be owed, because clocks jitter. Both are carried over to the next
 * interval at whose end the CPU clock is read.
 */
static void book_off(struct aa_thread *thread, int64_t took) {
    int64_t off = thread->watch.owed < took ? thread->watch.owed : took;
    if (off > 0) {
        uint8_t share = aa_book_share(thread);
        thread->current->off[share < AA_MPI ? share : AA_MPI] += off;
        thread->watch.owed -= off;
        if (thread->call.share == AA_OWN)
            aa_throttle_leave_out(thread, (uint64_t)off);
    }
}

/*
 * Renews the latest anchor from time to time, so that the rate of ticks is known precisely even if the
 * process is killed.
 */
static void renew_anchor(uint64_t now) {
    struct aa_header *header = aa_shard();
    if ((double)(now - header->latest.ticks) <= ANCHOR_AGE * aa_clock_rate())
        return;
    header->latest = aa_clock_anchor();
    aa_delay_take(header);
}

static __attribute__((noinline)) void book_disturbed(struct aa_thread *thread) {
    if (aa_counting)
        aa_counter_book(thread);
    uint64_t now = aa_clock_ticks();
    if (aa_watch_is_quiet(&thread->watch) && !aa_trace_is_due(thread, now)) {
        aa_book_until(thread, now);
        return;
    }
    now = aa_watch_synchronise(&thread->watch);
    book_off(thread, aa_book_until(thread, now));
    thread->synchronised++;
    if (thread->index == 0)
        renew_anchor(now);
}

void aa_book(struct aa_thread *thread) {
    uint64_t before = thread->last, now = aa_book_is_plain(thread) ? aa_clock_count() : UINT64_MAX;
    if (aa_trace_is_due(thread, now))
        book_disturbed(thread);
    else
        aa_book_until(thread, now);
    if (thread->call.share != AA_OWN)
        thread->outside += thread->last - before;
    if (aa_unlikely(aa_trace_is_due(thread, thread->last))) {
        aa_sites_close(thread);
        if (!aa_counting && !aa_counted_calls)
            aa_usage_look(thread);
        aa_trace_take(thread);
        aa_rare_work = true;
    }
}

/*
 * Books a wait that lasts until now. A waiting thread first spins and then sleeps, so all its CPU time
 * belongs to the wait, and none to the idle time after it.
 */
static void book_wait_until(struct aa_thread *thread, uint64_t now) {
    int64_t took = (int64_t)(now - thread->last);
    int64_t off = thread->watch.owed < took ? thread->watch.owed : took;
    off = off > 0 ? off : 0;
    thread->watch.owed -= off;
    thread->last = now;
    thread->outside += (uint64_t)took;
    aa_throttle_leave_out(thread, (uint64_t)took);
    if (thread->waited > took - off)
        thread->waited_at->off[AA_OMP] += thread->waited - (took - off);
    thread->waited = 0;
}

void aa_book_wait(struct aa_thread *thread) {
    if (aa_counting)
        aa_counter_skip(thread);
    bool quiet = aa_watch_is_quiet(&thread->watch);
    book_wait_until(thread, quiet ? aa_clock_ticks() : aa_watch_synchronise(&thread->watch));
}

void aa_book_wait_of(struct aa_thread *thread) {
    uint64_t now = aa_watch_synchronise_from_outside(&thread->watch, thread->tid);
    if (now)
        book_wait_until(thread, now);
}
