/* Booking: time is added to the node where the thread is. */
#ifndef AA_BOOK_H
#define AA_BOOK_H

#include "shard.h"

extern bool aa_book_is_quick; /* the clock is a counter, and nothing else is counted */
extern bool aa_book_goes_on;  /* or the counters continue during events */

/* Determines whether an event may take the fast path. */
void aa_book_prepare(void);

/* Books the time since the last event. */
void aa_book(struct aa_thread *thread);

/* Books the time until now to the node where the thread waited, without the idle time after the wait. */
void aa_book_wait(struct aa_thread *thread);

/* The same for another thread, which is idle. */
void aa_book_wait_of(struct aa_thread *thread);

static inline uint8_t aa_book_share(const struct aa_thread *thread) {
    return (uint8_t)thread->call.share;
}

/* Whether the event only needs a plain reading of the clock. */
static inline bool aa_book_is_plain(const struct aa_thread *thread) {
    return aa_book_is_quick && aa_watch_is_quiet(&thread->watch);
}

/* Books to a node that need not be the current one. */
static inline int64_t aa_book_to(struct aa_thread *thread, struct aa_node *node, uint64_t now) {
    int64_t took = (int64_t)(now - thread->last);
    thread->last = now;
    node->wall[aa_book_share(thread)] += took;
    return took;
}

static inline int64_t aa_book_until(struct aa_thread *thread, uint64_t now) {
    return aa_book_to(thread, thread->current, now);
}

#endif
