#define _GNU_SOURCE
#include "throttle.h"
#include "counter.h"
#include "key.h"
#include "self.h"
#include "tree.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>

#define NODES 64u
#define PART_OF_SHARE 0.2 /* what a node must take of the share while it is entered, to be short */
#define SOONEST 0.1 /* seconds of computing that the share is one of at least: beginnings are not judged */
#define LOOKS 2u    /* after a node was throttled, at least so many before the next one is */

static double allowed; /* of the time outside of library calls */

/* What is known of a tree, whatever threads take it one after the other. */
struct aa_books {
    uint64_t begin;    /* in ticks, as all times here */
    uint64_t left_out; /* in library calls, off the processor, and while no thread had the tree */
    uint64_t entries;  /* of all nodes that were looked at */
    /* When a node was throttled last, these entries, those of throttled nodes, and computing until then. */
    uint64_t entries_before, passed_before;
    double before;
    struct look {
        const struct aa_node *node;
        double computing;
    } last[NODES];
};

void aa_throttle_load(void) {
    const char *text = getenv("AUTOANALYZER_MAX_OVERHEAD");
    if (!text || !*text)
        return;
    char *end;
    double value = strtod(text, &end);
    if (end == text || !(value >= 0) || value > 100 || (*end && (*end != '%' || end[1]))) {
        aa_warn("AUTOANALYZER_MAX_OVERHEAD: expected a share such as 5%%, found '%s'; nothing is throttled",
                text);
        return;
    }
    allowed = value / 100;
}

static struct aa_books *books_of(struct aa_thread *thread) {
    if (!thread->books && (thread->books = aa_memory_map(sizeof *thread->books)))
        thread->books->begin = thread->index == 0 ? aa_shard()->start.ticks : thread->last;
    return thread->books;
}

void aa_throttle_leave_out(struct aa_thread *thread, uint64_t ticks) {
    if (allowed <= 0)
        return;
    struct aa_books *books = books_of(thread);
    if (books)
        books->left_out += ticks;
}

/* Since the last look, if it is known. */
static double computed_since(struct aa_books *books, const struct aa_node *node, double computing) {
    struct look *last = &books->last[((uintptr_t)node >> 6) % NODES];
    double before = last->node == node ? last->computing : 0;
    *last = (struct look){node, computing};
    return computing - before;
}

/* By its own time; the tree is searched ever more seldom. */
static bool is_short_leaf(const struct aa_thread *thread, const struct aa_node *node, double part) {
    const struct aa_time *own = &node->time[AA_OWN];
    double each = (double)(own->wall - own->off) / (double)node->visits;
    uint64_t looks = node->visits / AA_THROTTLE_PERIOD;
    return each * AA_THROTTLE_PERIOD < part && (looks & (looks - 1)) == 0 && aa_tree_is_leaf(thread, node);
}

static double computing_of(const struct aa_thread *thread) {
    const struct aa_books *books = thread->books;
    return (double)(thread->last - books->begin) - (double)books->left_out;
}

/* Of so many entries, those of throttled nodes that called the library included. */
static double price(uint64_t entries, uint64_t passed) {
    const struct aa_header *header = aa_shard();
    double taken = (double)entries * header->pair_cost + (double)passed * (double)header->throttled_cost;
    return taken * 1e-9 * header->ticks_per_second;
}

/*
 * Measuring takes more than its share, of all computing and since a node was throttled, so that no more are
 * than must be; and visits are so short, with all that is timed in them, that measuring them alone takes its
 * part of the share. Those that take longer are measured, however short they are on other call paths.
 */
static bool costs_too_much(struct aa_thread *thread, const struct aa_node *node) {
    struct aa_books *books = books_of(thread);
    if (!books)
        return false;
    books->entries += AA_THROTTLE_PERIOD;
    uint64_t recent = books->entries - books->entries_before;
    double computing = computing_of(thread), since = computed_since(books, node, computing);
    double soonest = SOONEST * aa_shard()->ticks_per_second;
    double part = price(AA_THROTTLE_PERIOD, 0) / (PART_OF_SHARE * allowed);
    return node->visits > AA_THROTTLE_PERIOD && recent >= LOOKS * AA_THROTTLE_PERIOD &&
           price(books->entries, thread->passed) > allowed * (computing > soonest ? computing : soonest) &&
           price(recent, thread->passed - books->passed_before) > allowed * (computing - books->before) &&
           (since < part || is_short_leaf(thread, node, part));
}

static void begin_anew(struct aa_thread *thread) {
    struct aa_books *books = thread->books;
    books->entries_before = books->entries;
    books->passed_before = thread->passed;
    books->before = computing_of(thread);
}

/*
 * The record stands in the shard before the first entry whose time is not known. What was entered from the
 * node is not any more: its time belongs to the node, and goes where that goes.
 */
static void throttle(struct aa_thread *thread, const struct aa_edge *edge) {
    struct aa_node *node = edge->child;
    if (!edge->node || !node || aa_is_throttled(node))
        return;
    struct aa_throttle *record = aa_shard_append(AA_RECORD_THROTTLE, sizeof *record);
    if (!record)
        return;
    record->node = (uint32_t)(((char *)node - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
    record->visits = node->visits;
    aa_shard_publish();
    bool opens_teams = node->time[AA_OMP].wall > 0; /* which count their visits to it */
    aa_tree_mark(thread, edge->node, node, opens_teams ? AA_THROTTLED | AA_FRAMED : AA_THROTTLED);
    for (uint64_t i = 0; i <= thread->edge_mask; i++) {
        const struct aa_edge *below = &thread->edges[i];
        if (below->node == node && below->child && aa_tree_parent(aa_throttled_node(below->child)) == node)
            throttle(thread, below); /* what recursion leads to is no child */
    }
}

/* Recursion leads to no child; and in a library call the time of the child must not become the library's. */
static bool may_be_throttled(const struct aa_thread *thread, const struct aa_frame *frame) {
    return frame->node == aa_tree_parent(thread->current) && frame->call.share == AA_OWN;
}

void aa_throttle_look(struct aa_thread *thread) {
    const struct aa_frame *frame = thread->top - 1;
    if (allowed <= 0 || aa_counting || aa_thread_closed || !aa_shard() || !may_be_throttled(thread, frame))
        return;
    struct aa_section section = aa_section_begin();
    if (costs_too_much(thread, thread->current)) {
        begin_anew(thread);
        aa_shard_lock();
        throttle(thread, aa_tree_edge(thread, frame->node, aa_key_get(&frame->key)));
        aa_shard_unlock();
    }
    aa_section_end(section);
}
