#define _GNU_SOURCE
#include "throttle.h"
#include "counter.h"
#include "process.h"
#include "thread.h"
#include "tree.h"

#include <stdlib.h>

#define SEEN 64u          /* nodes of a thread that are kept in mind */
#define PART_OF_SHARE 0.2 /* what a node must take of the share to be worth throttling */

static double allowed; /* of the time */

/* When a node of this thread was last looked at. */
struct look {
    const struct aa_node *node;
    uint64_t ticks;
};

static _Thread_local struct look looks[SEEN] AA_INITIAL_EXEC;
static _Thread_local uint64_t entries AA_INITIAL_EXEC; /* of all nodes that were looked at */

void aa_throttle_load(void) {
    const char *text = getenv("AUTOANALYZER_MAX_OVERHEAD");
    if (!text || !*text)
        return;
    char *end;
    double value = strtod(text, &end);
    if (end == text || !(value >= 0) || value > 100 || (*end && (*end != '%' || end[1]))) {
        aa_process_warn("AUTOANALYZER_MAX_OVERHEAD: a share such as 5%% wanted, found '%s'; none it is",
                        text);
        return;
    }
    allowed = value / 100;
}

/* The time since the last look; 0 at the first. */
static uint64_t since_last_look(const struct aa_node *node, uint64_t now) {
    struct look *look = &looks[((uintptr_t)node >> 6) % SEEN];
    uint64_t before = look->node == node ? look->ticks : now;
    *look = (struct look){node, now};
    return now - before;
}

static void throttle(struct aa_thread *thread, const struct aa_node *parent, const char *key,
                     struct aa_node *node) {
    aa_thread_closed = true;
    aa_in_order();
    aa_shard_lock();
    struct aa_throttle *record = aa_shard_append(AA_RECORD_THROTTLE, sizeof *record);
    if (record) {
        record->node = (uint32_t)(((char *)node - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
        record->visits = node->visits;
        aa_shard_publish();
        aa_tree_throttle(thread, parent, key);
    }
    aa_shard_unlock();
    aa_in_order();
    aa_thread_closed = false;
}

void aa_throttle_look(struct aa_thread *thread, const struct aa_node *parent, const char *key,
                      struct aa_node *node) {
    struct aa_header *header = aa_shard();
    if (allowed <= 0 || aa_counting || aa_thread_closed || !header || parent == node)
        return;
    entries += AA_THROTTLE_PERIOD;
    double pair = header->pair_cost * header->ticks_per_second * 1e-9;
    double lifetime = (double)(thread->last - header->start.ticks);
    double took = (double)since_last_look(node, thread->last);
    if (took > 0 && (double)entries * pair > allowed * lifetime &&
        AA_THROTTLE_PERIOD * pair > PART_OF_SHARE * allowed * took)
        throttle(thread, parent, key, node);
}
