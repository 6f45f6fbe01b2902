/* Booking: adds the time since a thread's last event to the node where the thread was. */
#ifndef AA_BOOK_H
#define AA_BOOK_H

#include "shard.h"

/* whether ticks are the processor's counter, and hardware events are counted nowhere or only in some calls */
extern bool aa_book_is_quick;
/* whether ticks are the processor's counter, and event counters are read without being stopped */
extern bool aa_book_goes_on;

/* Sets both variables above, and the bars of watches. Called once, after the clock and counters are
 * chosen. */
void aa_book_prepare(void);

/*
 * Adds the calling thread's time since its last event to its current node. Reads the CPU clock as well if the
 * thread was switched out, and takes a sample if one is due.
 */
void aa_book(struct aa_thread *thread);

/*
 * Ends the calling thread's wait for its team: adds the part of the wait that was off the CPU to the node in
 * which the thread waited. Neither the wait nor the idle time after it is added to the current node.
 */
void aa_book_wait(struct aa_thread *thread);

/* Ends another thread's wait for its team. That thread must be idle; does nothing if the wait has ended. */
void aa_book_wait_of(struct aa_thread *thread);

/* Returns the thread's enum aa_share, without the flags AA_IN_MPI and AA_IN_OMP. */
static inline uint8_t aa_book_share(const struct aa_thread *thread) {
    return (uint8_t)thread->call.share;
}

/*
 * Returns whether an event only needs to read the clock: aa_book_is_quick is set, and the thread was not
 * switched out.
 */
static inline bool aa_book_is_plain(const struct aa_thread *thread) {
    return aa_book_is_quick && aa_watch_is_quiet(&thread->watch);
}

/* Adds the time since the thread's last event to a node, and returns it in ticks. now: the current ticks. */
static inline int64_t aa_book_to(struct aa_thread *thread, struct aa_node *node, uint64_t now) {
    int64_t took = (int64_t)(now - thread->last);
    thread->last = now;
    node->wall[aa_book_share(thread)] += took;
    return took;
}

/*
 * Adds the time since the thread's last event to its current node, and returns it in ticks. now: the current
 * ticks.
 */
static inline int64_t aa_book_until(struct aa_thread *thread, uint64_t now) {
    return aa_book_to(thread, thread->current, now);
}

#endif
