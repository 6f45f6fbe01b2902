#define _GNU_SOURCE
#include "throttle.h"
#include "counter.h"
#include "key.h"
#include "self.h"
#include "tree.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>

#define REGIONS 256u /* later ones share their places in what follows with the first */
#define NODES 64u
#define PART_OF_SHARE 0.2 /* what a region must take of the share to be worth throttling */
#define SOONEST 0.1 /* seconds of computing that the share is one of at least: beginnings are not judged */

static double allowed; /* of the time outside of library calls */

/* What a thread knows of its tree; whoever takes another one, as the child of a fork does, begins anew. */
static _Thread_local struct {
    const struct aa_thread *tree;
    uint64_t entries;  /* of all nodes that were looked at */
    uint64_t left_out; /* ticks in library calls and off the processor */
    uint32_t looks[REGIONS];
    struct look {
        const struct aa_node *node;
        double computing; /* ticks */
    } last[NODES];
} seen AA_INITIAL_EXEC;

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

static void look_at(const struct aa_thread *thread) {
    if (seen.tree != thread)
        memset(&seen, 0, sizeof seen);
    seen.tree = thread;
}

void aa_throttle_leave_out(const struct aa_thread *thread, uint64_t ticks) {
    if (allowed <= 0)
        return;
    look_at(thread);
    seen.left_out += ticks;
}

/* Since the last look, if it is known. */
static double computed_since(const struct aa_node *node, double computing) {
    struct look *last = &seen.last[((uintptr_t)node >> 6) % NODES];
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

static bool costs_too_much(const struct aa_thread *thread, const struct aa_node *node) {
    const struct aa_header *header = aa_shard();
    look_at(thread);
    seen.entries += AA_THROTTLE_PERIOD;
    double pair = header->pair_cost * header->ticks_per_second * 1e-9;
    double computing = (double)(thread->last - header->start.ticks) - (double)seen.left_out;
    double since = computed_since(node, computing);
    if (computing < SOONEST * header->ticks_per_second)
        computing = SOONEST * header->ticks_per_second;
    uint32_t looks = ++seen.looks[node->region % REGIONS];
    /*
     * Visits must be so short, with all that is timed in them, that measuring them alone takes its part of
     * the share; those that take longer are measured, however short they are on other call paths.
     */
    double part = AA_THROTTLE_PERIOD * pair / (PART_OF_SHARE * allowed);
    return looks > 1 && (double)seen.entries * pair > allowed * computing &&
           looks * AA_THROTTLE_PERIOD * pair > PART_OF_SHARE * allowed * computing &&
           (since < part || is_short_leaf(thread, node, part));
}

/* The record stands in the shard before the first entry whose time is not known. */
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
    bool lasts = aa_is_never_unloaded(aa_key_get(&edge->key));
    aa_tree_mark(thread, edge->node, node,
                 AA_THROTTLED | (opens_teams ? AA_FRAMED : 0) | (lasts ? AA_LASTING : 0));
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
        aa_shard_lock();
        throttle(thread, aa_tree_edge(thread, frame->node, aa_key_get(&frame->key)));
        aa_shard_unlock();
    }
    aa_section_end(section);
}
