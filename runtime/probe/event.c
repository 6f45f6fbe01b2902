/*
 * Events: entries and exits of regions. The fast paths of aa_probe_enter and aa_probe_exit take no lock,
 * allocate nothing, and continue in a slow path by a tail call as soon as anything is unusual. A signal
 * handler may interrupt them anywhere and enter regions. Frames and edges are therefore written in an order
 * that never exposes an incomplete frame or edge, and such a handler cannot enter the slow path.
 */
#define _GNU_SOURCE
#include "event.h"
#include "book.h"
#include "counter.h"
#include "frames.h"
#include "key.h"
#include "price.h"
#include "probe.h"
#include "self.h"
#include "site.h"
#include "thread.h"
#include "throttle.h"
#include "trace.h"
#include "tree.h"
#include "user_context.h"

#include <errno.h>
#include <string.h>

/* Returns whether the event only needs to read the clock, and no site is open. This is a single comparison,
 * because on some processors reading the clock does not overlap with any other instruction
 * (benchmarks/probe/README.md). If a signal handler opens a site afterwards, the next event closes it. */
static inline bool is_plain(const struct aa_thread *thread) {
    return aa_likely(*thread->watch.word == thread->watch.armed);
}

/* Returns whether the event only needs the clock and the counts, because the program executes its own code
 * both before and after it. behind: the share of the time after the event. */
static inline bool is_counted(const struct aa_thread *thread, uint32_t behind) {
    return aa_book_goes_on && aa_watch_is_quiet(&thread->watch) && thread->call.share == AA_OWN &&
           behind == AA_OWN;
}

/* Throttles the region if it is short. Returns the key, like all functions at the end of the fast path. */
static __attribute__((noinline)) const char *look(const char *key) {
    aa_throttle_look(aa_thread_self);
    return key;
}

static inline const char *begin_visit(struct aa_thread *thread, struct aa_node *from, const char *key,
                                      struct aa_node *child) {
    aa_frames_push_plainly(thread, from, key, child);
    return aa_unlikely(++child->visits % AA_THROTTLE_LOOK == 0) ? look(key) : key;
}

static inline const char *visit(struct aa_thread *thread, const char *key, struct aa_node *child) {
    aa_sites_close(thread);
    return begin_visit(thread, thread->current, key, child);
}

/*
 * Returns whether the child's time goes to the current node, because the child is throttled. Callbacks of a
 * library are excluded, because their time must not be added to the library's time.
 */
static inline bool is_passed(const struct aa_thread *thread, const struct aa_node *child) {
    return aa_is_throttled(child) && thread->call.share == AA_OWN;
}

/*
 * Returns whether to time this visit of a throttled node, because it is part of a sample, or follows a long
 * visit. If so, opens a frame.
 */
static __attribute__((noinline)) bool sample(struct aa_thread *thread, const char *key,
                                             struct aa_node *child) {
    int error = errno; /* the program's, restored at the end */
    aa_book(thread);
    bool timed = aa_throttle_sample(thread, child);
    if (timed)
        aa_frames_push(thread, key, child);
    errno = error;
    return timed;
}

/*
 * Counts the entry to a throttled child. Returns the key if the exit must be reported, because the visit is
 * timed or the child has frames; otherwise null. Opens a site if possible.
 */
static __attribute__((noinline)) const char *pass(struct aa_thread *thread, const char *key,
                                                  struct aa_node *child, int64_t *site) {
    uint64_t *visits = &aa_throttled_node(child)->visits;
    if (site && !aa_is_slot(site) && *site == -1 && thread->index == 0)
        aa_site_end(thread, site);
    thread->passed++;
    if (aa_unlikely(++*visits % AA_THROTTLE_PERIOD <= AA_THROTTLE_SAMPLE) &&
        sample(thread, key, aa_throttled_node(child)))
        return key;
    if (aa_unlikely(aa_is_framed(child))) {
        aa_frames_push(thread, key, thread->current);
        return key;
    }
    if (aa_is_slot(site))
        aa_slot_fill(thread, site, key, child);
    else if (site && aa_site_pays(thread, child))
        aa_site_open(thread, site, key, child);
    return NULL;
}

/*
 * The key that a throttled entry returns in counting runs. The program must execute the same code as if the
 * region were measured, so it leaves the region with a call, which does nothing. Fortran's exit names the
 * region instead.
 */
static const char passed_by[] = "";

static inline const char *pass_by(struct aa_thread *thread, const char *key, struct aa_node *child,
                                  const int64_t *site) {
    aa_throttled_node(child)->visits++;
    if (aa_likely(site && !aa_is_slot(site) && !aa_is_framed(child)))
        return passed_by;
    aa_frames_push_plainly(thread, thread->current, key, thread->current);
    return key;
}

/* Returns whether the region of this frame was throttled, so that its time went to the node below. */
static inline bool was_passed(const struct aa_thread *thread, const struct aa_frame *frame) {
    return frame->node == thread->current && frame->call.share == thread->call.share;
}

/*
 * Enters a child, or, if it is null, stays in the current node. Returns the key; null if the exit need not be
 * reported.
 */
static const char *go_into(struct aa_thread *thread, const char *key, struct aa_node *child, int64_t *site) {
    if (child && is_passed(thread, child))
        return aa_counting ? pass_by(thread, key, child, site) : pass(thread, key, child, site);
    if (child)
        return visit(thread, key, aa_throttled_node(child));
    aa_frames_push(thread, key, thread->current);
    return key;
}

static const char *enter(struct aa_thread *thread, const char *key, int64_t *site) {
    int error = errno; /* the program's, restored at the end */
    aa_book(thread);
    if (aa_frames_have_room(thread))
        key = go_into(thread, key, aa_throttle_if_short(thread, aa_tree_step(thread, key)), site);
    else
        aa_thread_stop();
    errno = error;
    return key;
}

struct aa_thread *aa_event_attach(uint32_t number) {
    static const struct aa_probes probes = {aa_probe_enter, aa_probe_enter_counted, aa_probe_enter_in_slot,
                                            aa_probe_exit,  aa_probe_exit_or_pass,  aa_share_begin,
                                            aa_share_end};
    aa_price_these(&probes);
    return aa_thread_attach(number);
}

static __attribute__((noinline)) const char *enter_slowly(const char *key, int64_t *site) {
    aa_counter_stop();
    struct aa_thread *thread = aa_thread_self ? aa_thread_self : aa_event_attach(AA_ANY_TREE);
    if (thread)
        key = enter(thread, key, site);
    aa_counter_go();
    return key;
}

/* Enters a region if sites are open, or if counters need not be stopped; otherwise calls enter_slowly. */
static __attribute__((noinline)) const char *enter_otherwise(struct aa_thread *thread, const char *key,
                                                             struct aa_node *child, int64_t *site) {
    if (is_counted(thread, AA_OWN))
        aa_counter_book_going(thread);
    else if (!aa_book_is_plain(thread))
        return enter_slowly(key, site);
    uint64_t now = aa_clock_count();
    if (aa_unlikely(aa_trace_is_due(thread, now)))
        return enter_slowly(key, site);
    aa_book_until(thread, now);
    return visit(thread, key, child);
}

/* Counts the entry to a throttled child, unless a library has called the code back or booking is due. */
static __attribute__((noinline)) const char *enter_throttled(struct aa_thread *thread, const char *key,
                                                             struct aa_node *child, int64_t *site) {
    if (aa_unlikely(!is_passed(thread, child)))
        return enter_slowly(key, site);
    if (!aa_counting)
        return pass(thread, key, child, site);
    /* one entry per period is booked with times and counts */
    if (aa_unlikely((aa_throttled_node(child)->visits + 1) % AA_THROTTLE_PERIOD == 0))
        return enter_slowly(key, site);
    return pass_by(thread, key, child, site);
}

/*
 * Returns the edge's child, or null if the edge is for another key. Reads the child only once, because the
 * table may be emptied.
 */
static inline struct aa_node *child_by(const struct aa_edge *edge, const struct aa_node *from,
                                       const char *key) {
    struct aa_node *child = __atomic_load_n(&edge->child, __ATOMIC_RELAXED);
    bool is_it = aa_likely(edge->node == from) && aa_likely(aa_key_get(&edge->key) == key);
    return is_it ? child : NULL;
}

/* Enters a child of the current node. */
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
    aa_book_to(thread, from, now);
    return begin_visit(thread, from, key, child);
}

/* Enters a region whose edge is not in the first slot of the hash table. */
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

void aa_probe_enter_in_slot(const char *descriptor, struct aa_slot *slot) {
    enter_at(descriptor, aa_slot_as_site(slot));
}

void aa_probe_enter_slot(const char *descriptor, void *slot) {
    (void)slot;
    enter_at(descriptor, NULL);
}

/* Returns whether a frame belongs to this region; entry and exit may pass the same text at two addresses. */
static bool is_of(const struct aa_frame *frame, const char *key) {
    const char *entered = aa_key_get(&frame->key);
    return entered == key || (entered && key && strcmp(entered, key) == 0);
}

/* Returns the frame of the last open region with this text; the bottom frame if there is none. */
static struct aa_frame *find_frame(const struct aa_thread *thread, const char *key) {
    struct aa_frame *frame = thread->top - 1;
    while (frame > thread->frames && !is_of(frame, key))
        frame--;
    return frame;
}

static void leave(struct aa_thread *thread, const char *key) {
    aa_book(thread);
    struct aa_frame *frame = find_frame(thread, key);
    if (frame == thread->frames && aa_user_context_jumped(thread, key))
        frame = find_frame(thread, key);
    if (frame == thread->frames) {
        thread->unmatched++;
        return;
    }
    if (frame != thread->top - 1)
        thread->repairs++;
    aa_frames_pop(thread, frame);
}

static __attribute__((noinline)) void leave_slowly(struct aa_thread *thread, const char *key) {
    aa_counter_stop();
    leave(thread, key);
    aa_counter_go();
}

/* Leaves the most recently entered region in the less common cases; the counterpart of enter_otherwise. */
static __attribute__((noinline)) void leave_otherwise(struct aa_thread *thread, struct aa_frame *frame,
                                                      const char *key) {
    bool counted = is_counted(thread, frame->call.share);
    if (!counted && !aa_book_is_plain(thread)) {
        leave_slowly(thread, key);
        return;
    }
    if (was_passed(thread, frame)) {
        aa_frames_pop(thread, frame);
        return;
    }
    if (counted)
        aa_counter_book_going(thread);
    uint64_t now = aa_clock_count();
    if (aa_unlikely(aa_trace_is_due(thread, now))) {
        leave_slowly(thread, key);
        return;
    }
    aa_book_until(thread, now);
    aa_frames_pop(thread, frame);
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
        aa_frames_pop_plainly(thread, frame);
        return;
    }
    uint64_t now = aa_clock_count();
    if (aa_unlikely(aa_trace_is_due(thread, now))) {
        leave_slowly(thread, descriptor);
        return;
    }
    aa_book_to(thread, node, now);
    aa_frames_pop_plainly(thread, frame);
}

/* Returns the throttled child for this key, unless it has frames; null if there is none. */
static struct aa_node *find_passed(const struct aa_thread *thread, const char *key, struct aa_node *from) {
    struct aa_node *child = child_by(aa_tree_first_edge(thread, from, key), from, key);
    if (!child)
        child = aa_tree_edge(thread, from, key)->child;
    return aa_is_throttled(child) && !aa_is_framed(child) ? aa_throttled_node(child) : NULL;
}

/*
 * Returns whether the entry was only counted, so that no frame has its key. The region may be timed again by
 * now, or the entry may have been in the parent of a fork.
 */
static bool was_let_pass(const struct aa_thread *thread, const char *key) {
    return (!aa_counting && find_passed(thread, key, thread->current)) ||
           find_frame(thread, key) == thread->frames;
}

void aa_probe_exit_or_pass(const char *descriptor) {
    struct aa_thread *thread = aa_thread_self;
    if (thread && aa_key_get(&thread->top[-1].key) != descriptor && was_let_pass(thread, descriptor)) {
        thread->left++;
        return;
    }
    if (aa_likely(thread))
        thread->fortran++;
    aa_probe_exit(descriptor);
}

/*
 * From now on, lets a throttled region have frames, because a jump has landed in it; returns false if there
 * is no such region. Takes the shard's lock, so signal handlers that interrupted the library must not call
 * it.
 */
static bool frame_passed(struct aa_thread *thread, const char *key) {
    struct aa_node *from = thread->current;
    struct aa_node *passed = find_passed(thread, key, from);
    for (struct aa_frame *frame = thread->top - 1; !passed && frame > thread->frames; frame--)
        passed = find_passed(thread, key, from = frame->node);
    if (passed) {
        aa_sites_close(thread);
        aa_tree_frame_child(thread, from, passed);
    }
    return passed != NULL;
}

void aa_probe_resync(const char *descriptor) {
    struct aa_thread *thread = aa_thread_self;
    if (aa_unlikely(!thread) || aa_likely(aa_key_get(&thread->top[-1].key) == descriptor))
        return;
    struct aa_frame *frame = find_frame(thread, descriptor);
    if (frame == thread->frames) {
        thread->unmatched += !aa_thread_closed && !frame_passed(thread, descriptor);
    } else if (frame != thread->top - 1) {
        aa_counter_stop();
        aa_book(thread);
        aa_frames_pop(thread, frame + 1);
        aa_counter_go();
    }
}
