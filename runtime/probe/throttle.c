#define _GNU_SOURCE
#include "throttle.h"
#include "counter.h"
#include "key.h"
#include "self.h"
#include "tree.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>

#define SEEN 64u          /* nodes of a thread that are kept in mind */
#define PART_OF_SHARE 0.2 /* what a node must take of the share to be worth throttling */

static double allowed; /* of the time outside of library calls */

/* What a thread knows of its tree; whoever takes another one, as the child of a fork does, begins anew. */
static _Thread_local struct {
    const struct aa_thread *tree;
    uint64_t entries; /* of all nodes that were looked at */
    uint64_t called;  /* ticks in library calls */
    struct look {
        const struct aa_node *node;
        uint64_t ticks;
    } looks[SEEN];
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

/* The time since the last look; 0 at the first. */
static uint64_t since_last_look(const struct aa_node *node, uint64_t now) {
    struct look *look = &seen.looks[((uintptr_t)node >> 6) % SEEN];
    uint64_t before = look->node == node ? look->ticks : now;
    *look = (struct look){node, now};
    return now - before;
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
    seen.called += ticks;
}

static bool costs_too_much(const struct aa_thread *thread, const struct aa_node *node) {
    const struct aa_header *header = aa_shard();
    look_at(thread);
    seen.entries += AA_THROTTLE_PERIOD;
    double pair = header->pair_cost * header->ticks_per_second * 1e-9;
    double computing = (double)(thread->last - header->start.ticks) - (double)seen.called;
    double took = (double)since_last_look(node, thread->last);
    return took > 0 && (double)seen.entries * pair > allowed * computing &&
           AA_THROTTLE_PERIOD * pair > PART_OF_SHARE * allowed * took;
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
    aa_tree_throttle(thread, edge->node, node);
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
