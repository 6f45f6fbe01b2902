/*
 * What happens at an event. The fast paths of aa_probe_enter and aa_probe_exit take no lock, allocate nothing
 * and leave by a tail call as soon as something is out of the ordinary.
 *
 * A signal handler may interrupt any of it, and enter regions of its own. So frames and edges are written in
 * an order that leaves no half-made one in sight, and the slow path is closed to whoever interrupts it.
 */
#define _GNU_SOURCE
#include "event.h"
#include "counter.h"
#include "delay.h"
#include "key.h"
#include "probe.h"
#include "self.h"
#include "site.h"
#include "thread.h"
#include "throttle.h"
#include "trace.h"
#include "tree.h"

#include <errno.h>
#include <string.h>

#define ANCHOR_AGE 1e8 /* nanoseconds */

/* ---- time */

static inline uint8_t open_share(const struct aa_thread *thread) {
    return (uint8_t)thread->call.share;
}

static bool quick;        /* the clock is a counter, and nothing else is counted */
static bool counts_going; /* or what is, goes on meanwhile */

void aa_event_prepare(void) {
    quick = aa_clock_counter && !aa_counting;
    aa_watch_bar(quick ? 0 : AA_BAR_BOOKING);
    counts_going = aa_clock_counter && aa_counter_goes_on;
}

/* Whether a plain reading of the clock is all that the event needs. */
static inline bool undisturbed(const struct aa_thread *thread) {
    return quick && aa_watch_is_quiet(&thread->watch);
}

/*
 * The same, and no site is open: one comparison, because reading the clock hides no instruction on some
 * processors (benchmarks/probe/README.md). A site that a signal handler opens after it is closed at the next
 * event.
 */
static inline bool is_plain(const struct aa_thread *thread) {
    return aa_likely(*thread->watch.word == thread->watch.armed);
}

/* Whether also a reading of counts is, as before the event and behind it the program executes its own code.
 */
static inline bool is_counted(const struct aa_thread *thread, uint32_t behind) {
    return counts_going && aa_watch_is_quiet(&thread->watch) && thread->call.share == AA_OWN &&
           behind == AA_OWN;
}

/* To the current node. */
static inline int64_t book_to(struct aa_thread *thread, struct aa_node *node, uint64_t now) {
    int64_t took = (int64_t)(now - thread->last);
    thread->last = now;
    node->wall[open_share(thread)] += took;
    return took;
}

static inline int64_t book_until(struct aa_thread *thread, uint64_t now) {
    return book_to(thread, thread->current, now);
}

/*
 * No interval is longer off the CPU than it is. More can be owed, as what a hypervisor takes from the machine
 * disturbs no watch; less than nothing, as clocks jitter. Both are left to the next interval that is
 * disturbed.
 */
static void book_off(struct aa_thread *thread, int64_t took) {
    int64_t off = thread->watch.owed < took ? thread->watch.owed : took;
    if (off > 0) {
        uint8_t share = open_share(thread);
        thread->current->off[share < AA_MPI ? share : AA_MPI] += off;
        thread->watch.owed -= off;
        if (thread->call.share == AA_OWN)
            aa_throttle_leave_out(thread, (uint64_t)off);
    }
}

/* Now and then a late anchor, so that the ticks' rate is well known even if the process gets killed. */
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
    if (aa_watch_is_quiet(&thread->watch)) {
        book_until(thread, aa_clock_ticks());
        return;
    }
    uint64_t now = aa_watch_synchronise(&thread->watch);
    book_off(thread, book_until(thread, now));
    thread->synchronised++;
    if (thread->index == 0)
        renew_anchor(now);
}

void aa_event_book(struct aa_thread *thread) {
    if (undisturbed(thread))
        book_until(thread, aa_clock_count());
    else
        book_disturbed(thread);
    if (aa_unlikely(aa_trace_is_due(thread, thread->last))) {
        aa_sites_close(thread);
        aa_trace_take(thread);
    }
}

/*
 * A thread that waits spins first, and sleeps then: what it was on the CPU counts to the wait, and not to
 * what it was idle after it.
 */
static void book_wait_until(struct aa_thread *thread, uint64_t now) {
    int64_t took = (int64_t)(now - thread->last);
    int64_t off = thread->watch.owed < took ? thread->watch.owed : took;
    off = off > 0 ? off : 0;
    thread->watch.owed -= off;
    thread->last = now;
    aa_throttle_leave_out(thread, (uint64_t)took);
    if (thread->waited > took - off)
        thread->waited_at->off[AA_OMP] += thread->waited - (took - off);
    thread->waited = 0;
}

void aa_event_book_wait(struct aa_thread *thread) {
    if (aa_counting)
        aa_counter_skip(thread);
    bool quiet = aa_watch_is_quiet(&thread->watch);
    book_wait_until(thread, quiet ? aa_clock_ticks() : aa_watch_synchronise(&thread->watch));
}

void aa_event_book_wait_of(struct aa_thread *thread) {
    uint64_t now = aa_watch_synchronise_from_outside(&thread->watch, thread->tid);
    if (now)
        book_wait_until(thread, now);
}

/* ---- enter and exit */

/* Time goes to the node from now on, which may be that where it went; no site is open. */
static inline void push_frame(struct aa_thread *thread, struct aa_node *from, const char *key,
                              struct aa_node *node) {
    struct aa_frame *frame = thread->top;
    thread->top = frame + 1;
    aa_in_order();
    aa_frame_set(frame, from, key, thread->call);
    thread->call = (struct aa_call){.share = AA_OWN};
    thread->current = node;
}

static inline void push(struct aa_thread *thread, const char *key, struct aa_node *node) {
    aa_sites_close(thread);
    push_frame(thread, thread->current, key, node);
}

/* What the fast path ends in gives the key on, so that it need not be kept. */
static __attribute__((noinline)) const char *look(const char *key) {
    aa_throttle_look(aa_thread_self);
    return key;
}

static inline const char *begin_visit(struct aa_thread *thread, struct aa_node *from, const char *key,
                                      struct aa_node *child) {
    push_frame(thread, from, key, child);
    return aa_unlikely(++child->visits % AA_THROTTLE_PERIOD == 0) ? look(key) : key;
}

static inline const char *visit(struct aa_thread *thread, const char *key, struct aa_node *child) {
    aa_sites_close(thread);
    return begin_visit(thread, thread->current, key, child);
}

/* Whether time goes on where it went in this child: what a library calls back is no time of the library. */
static inline bool is_passed(const struct aa_thread *thread, const struct aa_node *child) {
    return aa_is_throttled(child) && thread->call.share == AA_OWN;
}

/* Whether this visit is timed, as one of many, or since the last one of them took long. */
static __attribute__((noinline)) bool sample(struct aa_thread *thread, const char *key,
                                             struct aa_node *child) {
    int error = errno; /* the program's */
    aa_event_book(thread);
    bool timed = aa_throttle_sample(thread, child);
    if (timed)
        push(thread, key, child);
    errno = error;
    return timed;
}

/* Only counted; if somebody must know where the region is open, it is put down that it is. */
static __attribute__((noinline)) const char *pass(struct aa_thread *thread, const char *key,
                                                  struct aa_node *child, int64_t *site) {
    uint64_t *visits = &aa_throttled_node(child)->visits;
    if (site && *site == -1 && thread->index == 0)
        aa_site_end(site);
    thread->passed++;
    if (aa_unlikely(++*visits % AA_THROTTLE_PERIOD <= AA_THROTTLE_SAMPLE) &&
        sample(thread, key, aa_throttled_node(child)))
        return key;
    if (aa_unlikely(aa_is_framed(child))) {
        push(thread, key, thread->current);
        return key;
    }
    if (site && aa_is_lasting(child) && thread->index == 0)
        aa_site_open(thread, site, visits);
    return NULL;
}

/*
 * Where counts are added up, the program must do what it does where the region is measured, or they would be
 * others: it is told that it entered something, and to leave that is nothing. Fortran tells what it leaves.
 */
static const char passed_by[] = "";

static inline const char *pass_by(struct aa_thread *thread, const char *key, struct aa_node *child,
                                  const int64_t *site) {
    aa_throttled_node(child)->visits++;
    if (aa_likely(site && !aa_is_framed(child)))
        return passed_by;
    push_frame(thread, thread->current, key, thread->current);
    return key;
}

/* Now and then time and counts are booked. */
static inline bool is_booked_now(const struct aa_node *child) {
    return (aa_throttled_node(child)->visits + 1) % AA_THROTTLE_PERIOD == 0;
}

/* Whether time goes on where it went when the region is left. */
static inline bool was_passed(const struct aa_thread *thread, const struct aa_frame *frame) {
    return frame->node == thread->current && frame->call.share == thread->call.share;
}

static inline void pop_frames(struct aa_thread *thread, struct aa_frame *frame) {
    thread->current = frame->node;
    thread->call = frame->call;
    aa_in_order();
    thread->top = frame;
}

static inline void pop_to(struct aa_thread *thread, struct aa_frame *frame) {
    aa_sites_close(thread);
    pop_frames(thread, frame);
}

static bool has_room(struct aa_thread *thread) {
    return aa_likely(thread->top < thread->limit) || aa_thread_deepen(thread);
}

bool aa_event_descend(struct aa_thread *thread, const char *key, struct aa_node *node) {
    if (!has_room(thread))
        return false;
    push(thread, key, node);
    return true;
}

void aa_event_return_to(struct aa_thread *thread, struct aa_frame *frame) {
    pop_to(thread, frame);
}

/* Null: an entry that is not told apart. */
static const char *go_into(struct aa_thread *thread, const char *key, struct aa_node *child, int64_t *site) {
    if (child && is_passed(thread, child))
        return aa_counting ? pass_by(thread, key, child, site) : pass(thread, key, child, site);
    if (child)
        return visit(thread, key, aa_throttled_node(child));
    push(thread, key, thread->current);
    return key;
}

static const char *enter(struct aa_thread *thread, const char *key, int64_t *site) {
    int error = errno; /* the program's */
    aa_event_book(thread);
    if (has_room(thread))
        key = go_into(thread, key, aa_throttle_if_short(thread, aa_tree_step(thread, key)), site);
    else
        aa_thread_stop();
    errno = error;
    return key;
}

static __attribute__((noinline)) const char *enter_slowly(const char *key, int64_t *site) {
    aa_counter_stop();
    struct aa_thread *thread = aa_thread_self ? aa_thread_self : aa_thread_attach(AA_ANY_TREE);
    if (thread)
        key = enter(thread, key, site);
    aa_counter_go();
    return key;
}

/* Sites are open, or counts go on, or there is more to do. */
static __attribute__((noinline)) const char *enter_otherwise(struct aa_thread *thread, const char *key,
                                                             struct aa_node *child, int64_t *site) {
    if (is_counted(thread, AA_OWN))
        aa_counter_book_going(thread);
    else if (!undisturbed(thread))
        return enter_slowly(key, site);
    uint64_t now = aa_clock_count();
    if (aa_unlikely(aa_trace_is_due(thread, now)))
        return enter_slowly(key, site);
    book_until(thread, now);
    return visit(thread, key, child);
}

/* A throttled child: the visit is only counted, unless a library calls back, or it is time to book. */
static __attribute__((noinline)) const char *enter_throttled(struct aa_thread *thread, const char *key,
                                                             struct aa_node *child, int64_t *site) {
    if (aa_unlikely(!is_passed(thread, child)))
        return enter_slowly(key, site);
    if (!aa_counting)
        return pass(thread, key, child, site);
    if (aa_unlikely(is_booked_now(child)))
        return enter_slowly(key, site);
    return pass_by(thread, key, child, site);
}

/* Null where it is another's edge. Read once, for the table may be emptied. */
static inline struct aa_node *child_by(const struct aa_edge *edge, const struct aa_node *from,
                                       const char *key) {
    struct aa_node *child = __atomic_load_n(&edge->child, __ATOMIC_RELAXED);
    bool is_it = aa_likely(edge->node == from) && aa_likely(aa_key_get(&edge->key) == key);
    return is_it ? child : NULL;
}

/* From the current node. */
static inline __attribute__((always_inline)) const char *enter_child(struct aa_thread *thread,
                                                                     struct aa_node *from, const char *key,
                                                                     struct aa_node *child, int64_t *site) {
    if (aa_unlikely(thread->top >= thread->limit))
        return enter_slowly(key, site);
    if (aa_unlikely(aa_is_throttled(child)))
        return enter_throttled(thread, key, child, site);
    if (aa_unlikely(!is_plain(thread)))
        return enter_otherwise(thread, key, child, site);
    uint64_t now = aa_clock_count();
    if (aa_unlikely(aa_trace_is_due(thread, now)))
        return enter_slowly(key, site);
    book_to(thread, from, now);
    return begin_visit(thread, from, key, child);
}

/* Another edge stands where this one would. */
static __attribute__((noinline)) const char *enter_by_next_edge(struct aa_thread *thread, const char *key,
                                                                int64_t *site) {
    struct aa_node *from = thread->current;
    struct aa_node *child = child_by(aa_tree_edge(thread, from, key), from, key);
    return child ? enter_child(thread, from, key, child, site) : enter_slowly(key, site);
}

static inline __attribute__((always_inline)) const char *enter_at(const char *key, int64_t *site) {
    struct aa_thread *thread = aa_thread_probed;
    struct aa_node *from = thread->current;
    struct aa_node *child = child_by(aa_tree_first_edge(thread, from, key), from, key);
    if (aa_unlikely(!child))
        return enter_by_next_edge(thread, key, site);
    return enter_child(thread, from, key, child, site);
}

const char *aa_probe_enter(const char *descriptor) {
    return enter_at(descriptor, NULL);
}

const char *aa_probe_enter_counted(const char *descriptor, int64_t *site) {
    return enter_at(descriptor, site);
}

/* Entry and exit may carry the same text at two addresses. */
static bool is_of(const struct aa_frame *frame, const char *key) {
    const char *entered = aa_key_get(&frame->key);
    return entered == key || (entered && key && strcmp(entered, key) == 0);
}

/* The last region entered with this text; the bottom, if none is open. */
static struct aa_frame *find_frame(const struct aa_thread *thread, const char *key) {
    struct aa_frame *frame = thread->top - 1;
    while (frame > thread->frames && !is_of(frame, key))
        frame--;
    return frame;
}

static void leave(struct aa_thread *thread, const char *key) {
    aa_event_book(thread);
    struct aa_frame *frame = find_frame(thread, key);
    if (frame == thread->frames) {
        thread->unmatched++;
        return;
    }
    if (frame != thread->top - 1)
        thread->repairs++;
    pop_to(thread, frame);
}

static __attribute__((noinline)) void leave_slowly(struct aa_thread *thread, const char *key) {
    aa_counter_stop();
    leave(thread, key);
    aa_counter_go();
}

/* What is left is on top, but the event is not a plain one, as in enter_otherwise. */
static __attribute__((noinline)) void leave_otherwise(struct aa_thread *thread, struct aa_frame *frame,
                                                      const char *key) {
    bool counted = is_counted(thread, frame->call.share);
    if (!counted && !undisturbed(thread)) {
        leave_slowly(thread, key);
        return;
    }
    if (was_passed(thread, frame)) {
        pop_to(thread, frame);
        return;
    }
    if (counted)
        aa_counter_book_going(thread);
    uint64_t now = aa_clock_count();
    if (aa_unlikely(aa_trace_is_due(thread, now))) {
        leave_slowly(thread, key);
        return;
    }
    book_until(thread, now);
    pop_to(thread, frame);
}

static __attribute__((noinline)) void leave_another(const char *key) {
    if (aa_thread_self && key != passed_by)
        leave_slowly(aa_thread_self, key);
}

void aa_probe_exit(const char *descriptor) {
    struct aa_thread *thread = aa_thread_probed;
    struct aa_frame *frame = thread->top - 1;
    if (aa_unlikely(aa_key_get(&frame->key) != descriptor)) {
        leave_another(descriptor);
        return;
    }
    if (aa_unlikely(!is_plain(thread))) {
        leave_otherwise(thread, frame, descriptor);
        return;
    }
    struct aa_node *node = thread->current;
    if (aa_unlikely(was_passed(thread, frame))) {
        pop_frames(thread, frame);
        return;
    }
    uint64_t now = aa_clock_count();
    if (aa_unlikely(aa_trace_is_due(thread, now))) {
        leave_slowly(thread, descriptor);
        return;
    }
    book_to(thread, node, now);
    pop_frames(thread, frame);
}

/* The child whose entries by this key only count. */
static struct aa_node *find_passed(const struct aa_thread *thread, const char *key, struct aa_node *from) {
    struct aa_node *child = aa_tree_edge(thread, from, key)->child;
    return aa_is_throttled(child) && !aa_is_framed(child) ? aa_throttled_node(child) : NULL;
}

/* Also if it is timed again, or was entered in the process that forked: then no frame has its key. */
static bool was_let_pass(const struct aa_thread *thread, const char *key) {
    return (!aa_counting && find_passed(thread, key, thread->current)) ||
           find_frame(thread, key) == thread->frames;
}

void aa_probe_exit_or_pass(const char *descriptor) {
    const struct aa_thread *thread = aa_thread_self;
    if (thread && aa_key_get(&thread->top[-1].key) != descriptor && was_let_pass(thread, descriptor))
        return;
    aa_probe_exit(descriptor);
}

/* A jump has landed in it; from the next entry on it is known where the region is open. */
static bool frame_passed(struct aa_thread *thread, const char *key) {
    struct aa_node *from = thread->current;
    struct aa_node *passed = find_passed(thread, key, from);
    for (struct aa_frame *frame = thread->top - 1; !passed && frame > thread->frames; frame--)
        passed = find_passed(thread, key, from = frame->node);
    if (passed)
        aa_tree_mark(thread, from, passed, AA_FRAMED);
    return passed != NULL;
}

void aa_probe_resync(const char *descriptor) {
    struct aa_thread *thread = aa_thread_self;
    if (aa_unlikely(!thread) || aa_likely(aa_key_get(&thread->top[-1].key) == descriptor))
        return;
    struct aa_frame *frame = find_frame(thread, descriptor);
    if (frame == thread->frames) {
        thread->unmatched += !frame_passed(thread, descriptor);
    } else if (frame != thread->top - 1) {
        aa_counter_stop();
        aa_event_book(thread);
        pop_to(thread, frame + 1);
        aa_counter_go();
    }
}

bool aa_is_outside_regions(void) {
    const struct aa_thread *thread = aa_thread_self;
    return thread && thread->current->parent == 0 && thread->call.depth == 0;
}

/* ---- library calls */

static void go_on_with(struct aa_thread *thread, uint32_t share) {
    uint64_t before = thread->last;
    aa_sites_close(thread);
    aa_counter_stop();
    aa_counter_turn(thread, share);
    aa_event_book(thread);
    if (thread->call.share != AA_OWN)
        aa_throttle_leave_out(thread, thread->last - before);
    thread->call.share = share;
    aa_counter_go();
}

/* At the end of an outermost call or statement: what has begun within it ends as well. */
static void go_back_to(struct aa_thread *thread, uint16_t statements) {
    thread->call.depth = thread->call.statements = statements;
    go_on_with(thread, statements ? AA_IO : AA_OWN);
}

bool aa_share_begin(uint32_t share) {
    struct aa_thread *thread = aa_thread_self;
    if (!thread || thread->call.depth++ != thread->call.statements)
        return false;
    go_on_with(thread, share);
    return true;
}

void aa_share_turn_to(uint32_t share) {
    if (aa_thread_self)
        go_on_with(aa_thread_self, share);
}

void aa_share_end(bool outermost) {
    struct aa_thread *thread = aa_thread_self;
    if (!thread || thread->call.depth == thread->call.statements)
        return;
    thread->call.depth--;
    if (outermost)
        go_back_to(thread, thread->call.statements);
}

void aa_share_leave(void) {
    struct aa_thread *thread = aa_thread_self;
    if (thread && thread->call.depth != thread->call.statements)
        go_back_to(thread, thread->call.statements);
}

bool aa_statement_begin(void) {
    if (!aa_share_begin(AA_IO))
        return false;
    aa_thread_self->call.statements++;
    return true;
}

void aa_statement_end(void) {
    struct aa_thread *thread = aa_thread_self;
    if (thread && thread->call.statements)
        go_back_to(thread, thread->call.statements - 1);
}

void aa_count_mpi(uint64_t calls, uint64_t sent, uint64_t received) {
    struct aa_thread *thread = aa_thread_self;
    if (thread) {
        thread->current->mpi_calls += calls;
        thread->current->mpi_sent += sent;
        thread->current->mpi_received += received;
    }
}

void aa_count_io(uint64_t calls, uint64_t read, uint64_t written) {
    struct aa_thread *thread = aa_thread_self;
    if (thread) {
        thread->current->io_calls += calls;
        thread->current->io_read += read;
        thread->current->io_written += written;
    }
}
