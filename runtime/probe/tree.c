/*
 * What happens at an event. The fast paths of aa_probe_enter and aa_probe_exit take no lock, allocate nothing
 * and leave by a tail call as soon as something is out of the ordinary.
 *
 * A signal handler may interrupt any of it, and enter regions of its own. So frames and edges are written in
 * an order that leaves no half-made one in sight, and the slow path is closed to whoever interrupts it.
 */
#define _GNU_SOURCE
#include "tree.h"
#include "probe.h"
#include "process.h"
#include "thread.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_EDGES 1024u
#define DESCRIPTOR_BARS 7
#define ANCHOR_AGE 1e8 /* nanoseconds */
#define PAIRS 256
#define ROUNDS 8

_Static_assert(AA_MPI == 1 + AA_SHARE_MPI && AA_IO == 1 + AA_SHARE_IO,
               "a share is a time's place in the node");

/* Keep the compiler from moving stores, for handlers on the same thread. */
#define in_order() atomic_signal_fence(memory_order_seq_cst)

/* ---- time */

static inline struct aa_time *open_time(const struct aa_thread *thread) {
    return &thread->current->time[thread->call.share];
}

/* Whether a plain reading of the counter is all that the event needs. */
static inline bool undisturbed(const struct aa_thread *thread) {
    return aa_likely(aa_clock_counter) && aa_likely(*thread->watch.word == thread->watch.armed);
}

static inline int64_t book_until(struct aa_thread *thread, uint64_t now) {
    int64_t took = (int64_t)(now - thread->last);
    thread->last = now;
    open_time(thread)->wall += took;
    return took;
}

/*
 * No interval is longer off the CPU than it is. More can be owed, as what a hypervisor takes from the machine
 * disturbs no watch; less than nothing, as clocks jitter. Both are left to the next interval that is
 * disturbed.
 */
static void book_off(struct aa_thread *thread, int64_t took) {
    int64_t off = thread->watch.owed < took ? thread->watch.owed : took;
    if (off > 0) {
        open_time(thread)->off += off;
        thread->watch.owed -= off;
    }
}

/* Now and then a late anchor, so that the ticks' rate is well known even if the process gets killed. */
static void renew_anchor(uint64_t now) {
    struct aa_header *header = aa_shard();
    if ((double)(now - header->latest.ticks) > ANCHOR_AGE * aa_clock_rate())
        header->latest = aa_clock_anchor();
}

static __attribute__((noinline)) void book_disturbed(struct aa_thread *thread) {
    if (*thread->watch.word == thread->watch.armed) {
        book_until(thread, aa_clock_ticks());
        return;
    }
    uint64_t now = aa_watch_synchronise(&thread->watch);
    book_off(thread, book_until(thread, now));
    thread->synchronised++;
    if (thread->index == 0)
        renew_anchor(now);
}

void aa_tree_book(struct aa_thread *thread) {
    if (undisturbed(thread))
        book_until(thread, aa_clock_count());
    else
        book_disturbed(thread);
}

/* ---- edges */

static inline uint64_t edge_hash(const struct aa_node *node, const char *key) {
    return (((uintptr_t)node >> 6) ^ (uintptr_t)key) * 0x9e3779b97f4a7c15u >> 32;
}

static inline struct aa_edge *first_edge(const struct aa_thread *thread, const struct aa_node *node,
                                         const char *key) {
    return &thread->edges[edge_hash(node, key) & thread->edge_mask];
}

static struct aa_edge *find_edge(const struct aa_thread *thread, const struct aa_node *node,
                                 const char *key) {
    struct aa_edge *edge = first_edge(thread, node, key);
    while (edge->node && (edge->node != node || edge->key != key))
        edge = edge == thread->edges + thread->edge_mask ? thread->edges : edge + 1;
    return edge;
}

static void put_edge(struct aa_thread *thread, struct aa_edge put) {
    struct aa_edge *edge = find_edge(thread, put.node, put.key);
    edge->child = put.child;
    edge->key = put.key;
    in_order();
    edge->node = put.node;
}

/* The old table stays mapped, for the event that a signal handler which gets here has interrupted. */
bool aa_tree_widen(struct aa_thread *thread) {
    uint64_t old_mask = thread->edge_mask, capacity = thread->edges ? 2 * (old_mask + 1) : FIRST_EDGES;
    struct aa_edge *old = thread->edges, *edges = aa_memory_map(capacity * sizeof *edges);
    if (!edges)
        return false;
    thread->edges = edges;
    in_order();
    thread->edge_mask = capacity - 1;
    for (uint64_t i = 0; old && i <= old_mask; i++) {
        if (old[i].node)
            put_edge(thread, old[i]);
    }
    return true;
}

static bool keep_edge(struct aa_thread *thread, struct aa_edge edge) {
    if (4 * thread->edge_count >= thread->edge_mask && !aa_tree_widen(thread))
        return false;
    put_edge(thread, edge);
    thread->edge_count++;
    return true;
}

/* ---- nodes */

static struct aa_node *parent_of(const struct aa_node *node) {
    return node->parent ? (void *)((char *)aa_shard() + (uint64_t)node->parent * AA_SHARD_ALIGNMENT) : NULL;
}

struct aa_node *aa_tree_append(struct aa_thread *thread, struct aa_node *parent, uint32_t region) {
    struct aa_node *node = aa_shard_append(AA_RECORD_NODE, sizeof *node);
    if (!node)
        return NULL;
    node->region = region;
    node->thread = thread->index;
    if (parent)
        node->parent = (uint32_t)(((char *)parent - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
    return node;
}

/* Nodes above the node are all open, so that a region found there is entered recursively. */
static struct aa_node *find_open(struct aa_node *node, uint32_t region) {
    while (node && node->region != region)
        node = parent_of(node);
    return node;
}

static bool well_formed(const char *descriptor) {
    static const char version[] = AA_DESCRIPTOR_VERSION "|";
    if (strncmp(descriptor, version, sizeof version - 1) != 0)
        return false;
    int bars = 0;
    for (const char *c = descriptor; *c; c++)
        bars += *c == '|';
    return bars == DESCRIPTOR_BARS;
}

static void refuse(const char *descriptor) {
    if (atomic_fetch_add(&aa_shard()->refused, 1) == 0)
        aa_process_warn("region descriptor of version %s wanted, found '%.60s'; not recorded",
                        AA_DESCRIPTOR_VERSION, descriptor);
}

/* The text's own copy in the shard is a key, too: by it the region is found from any address. */
static struct aa_node *find_or_append(struct aa_thread *thread, struct aa_node *node, const char *key) {
    const struct aa_region *region = aa_region_intern(key);
    if (!region)
        return NULL;
    struct aa_node *child = find_open(node, region->id);
    if (!child)
        child = find_edge(thread, node, region->descriptor)->child;
    if (!child && (child = aa_tree_append(thread, node, region->id))) {
        aa_shard_publish();
        keep_edge(thread, (struct aa_edge){node, region->descriptor, child});
    }
    return child;
}

static struct aa_node *discover(struct aa_thread *thread, struct aa_node *node, const char *key) {
    struct aa_node *child = NULL;
    if (well_formed(key)) {
        aa_shard_lock();
        child = find_or_append(thread, node, key);
        aa_shard_unlock();
    } else {
        refuse(key);
    }
    keep_edge(thread, (struct aa_edge){node, key, child});
    return child;
}

static struct aa_node *look_up(struct aa_thread *thread, struct aa_node *node, const char *key) {
    const struct aa_edge *edge = find_edge(thread, node, key);
    return edge->node ? edge->child : discover(thread, node, key);
}

/* The entry counts to the node itself, which nevertheless is not visited once more. */
static struct aa_node *collapse(struct aa_node *node, uint64_t *counter) {
    ++*counter;
    node->visits--;
    return node;
}

static struct aa_node *step(struct aa_thread *thread, const char *key) {
    struct aa_node *node = thread->current;
    if (aa_thread_closed)
        return collapse(node, &thread->reentered);
    aa_thread_closed = true;
    in_order();
    struct aa_node *child = key ? look_up(thread, node, key) : NULL;
    in_order();
    aa_thread_closed = false;
    return child ? child : collapse(node, &thread->collapsed);
}

/* ---- enter and exit */

static inline void push(struct aa_thread *thread, const char *key, struct aa_node *child) {
    struct aa_frame *frame = thread->top;
    thread->top = frame + 1;
    in_order();
    frame->node = thread->current;
    frame->key = key;
    frame->call = thread->call;
    thread->call = (struct aa_call){AA_OWN, 0};
    thread->current = child;
    child->visits++;
}

static inline void pop_to(struct aa_thread *thread, struct aa_frame *frame) {
    thread->current = frame->node;
    thread->call = frame->call;
    in_order();
    thread->top = frame;
}

static __attribute__((noinline)) void enter_slowly(const char *key) {
    struct aa_thread *thread = aa_thread_self;
    if (!thread && !(thread = aa_thread_attach()))
        return;
    aa_tree_book(thread);
    if (aa_unlikely(thread->top >= thread->limit) && !aa_thread_deepen(thread)) {
        aa_thread_stop();
        return;
    }
    push(thread, key, step(thread, key));
}

void aa_probe_enter(const char *descriptor) {
    struct aa_thread *thread = aa_thread_self;
    if (aa_unlikely(!thread)) {
        enter_slowly(descriptor);
        return;
    }
    const struct aa_edge *edge = first_edge(thread, thread->current, descriptor);
    if (aa_likely(edge->node == thread->current) && aa_likely(edge->key == descriptor) &&
        aa_likely(edge->child != NULL) && aa_likely(thread->top < thread->limit) && undisturbed(thread)) {
        book_until(thread, aa_clock_count());
        push(thread, descriptor, edge->child);
        return;
    }
    enter_slowly(descriptor);
}

/* Entry and exit may carry the same text at two addresses. */
static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static __attribute__((noinline)) void leave_slowly(struct aa_thread *thread, const char *key) {
    aa_tree_book(thread);
    struct aa_frame *frame = thread->top;
    while (frame > thread->frames + 1 && !same(frame[-1].key, key))
        frame--;
    if (frame == thread->frames + 1) {
        thread->unmatched++;
        return;
    }
    if (frame != thread->top)
        thread->repairs++;
    pop_to(thread, frame - 1);
}

void aa_probe_exit(const char *descriptor) {
    struct aa_thread *thread = aa_thread_self;
    if (aa_unlikely(!thread))
        return;
    struct aa_frame *frame = thread->top - 1;
    if (aa_likely(frame->key == descriptor) && undisturbed(thread)) {
        book_until(thread, aa_clock_count());
        pop_to(thread, frame);
        return;
    }
    leave_slowly(thread, descriptor);
}

/* ---- library calls */

bool aa_recording(void) {
    return aa_thread_self != NULL;
}

bool aa_share_begin(enum aa_share share) {
    struct aa_thread *thread = aa_thread_self;
    if (!thread || thread->call.depth++)
        return false;
    aa_tree_book(thread);
    thread->call.share = AA_OWN + 1 + share;
    return true;
}

void aa_share_end(enum aa_share share, bool outermost) {
    struct aa_thread *thread = aa_thread_self;
    (void)share;
    if (!thread || !thread->call.depth)
        return;
    thread->call.depth--;
    if (outermost) {
        aa_tree_book(thread);
        thread->call = (struct aa_call){AA_OWN, 0};
    }
}

void aa_count_mpi(uint64_t calls, uint64_t sent, uint64_t received) {
    struct aa_thread *thread = aa_thread_self;
    if (thread) {
        thread->current->mpi_calls += calls;
        thread->current->mpi_sent += sent;
        thread->current->mpi_received += received;
    }
}

void aa_count_io(uint64_t read, uint64_t written) {
    struct aa_thread *thread = aa_thread_self;
    if (thread) {
        thread->current->io_calls++;
        thread->current->io_read += read;
        thread->current->io_written += written;
    }
}

/* ---- cost */

double aa_tree_pair_cost(void) {
    static const char key[] = AA_DESCRIPTOR_VERSION "|user||||0|0|0";
    struct aa_node base = {.visits = 0}, child = {.visits = 0};
    struct aa_edge edge = {&base, key, &child};
    struct aa_frame frames[3] = {
        {.key = ""}}; /* the bottom, one for the pair, one for the pair of a handler */
    struct aa_thread scratch = {.index = 1,
                                .base = &base,
                                .current = &base,
                                .edges = &edge,
                                .frames = frames,
                                .top = frames + 1,
                                .limit = frames + 3};
    aa_watch_open(&scratch.watch);
    scratch.last = aa_clock_ticks();
    struct aa_thread *self = aa_thread_self;
    aa_thread_self = &scratch;
    uint64_t fastest = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = aa_clock_ticks();
        for (int i = 0; i < PAIRS; i++) {
            aa_probe_enter(key);
            aa_probe_exit(key);
        }
        uint64_t took = aa_clock_ticks() - start;
        fastest = took < fastest ? took : fastest;
    }
    aa_thread_self = self;
    aa_watch_close(&scratch.watch);
    return (double)fastest / PAIRS;
}
