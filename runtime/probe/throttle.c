#define _GNU_SOURCE
#include "throttle.h"
#include "counter.h"
#include "key.h"
#include "memory.h"
#include "self.h"
#include "short_paths.h"
#include "tree.h"
#include "warning.h"

#include <stdlib.h>
#include <string.h>

#define NODES 512u
/* a node counts as short if measuring it takes more than this part of the allowed overhead */
#define PART_OF_SHARE 0.2
/* seconds of busy time before any node is throttled, because the beginning of a run is not typical */
#define SOONEST 0.1
#define LOOKS 2u /* minimum number of checks between two throttled nodes */

static double allowed; /* share of the busy time that events may take; 0: no limit */

/* Data about a tree, even if several threads use the tree one after the other. */
struct aa_books {
    uint64_t begin;    /* when the tree was first used; in ticks, like all times here */
    uint64_t left_out; /* time in library calls, off the CPU, and while no thread used the tree */
    uint64_t entries;  /* entries of all nodes, in multiples of AA_THROTTLE_LOOK */
    /* The values when a node was last throttled: number of entries, price_of_rest, busy time. */
    uint64_t entries_before;
    double rest_before, before;
    struct look {
        const struct aa_node *node;
        double computing;
    } last[NODES];
    bool has_throttled; /* whether a node was throttled */
    /* nodes at which a team was opened, if none of their children was throttled since */
    const struct aa_node *framed[NODES];
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

void aa_throttle_forget(struct aa_thread *thread) {
    if (thread->books)
        aa_memory_unmap(thread->books, sizeof *thread->books);
    thread->books = NULL;
}

void aa_throttle_leave_out(struct aa_thread *thread, uint64_t ticks) {
    if (allowed <= 0)
        return;
    struct aa_books *books = books_of(thread);
    if (books)
        books->left_out += ticks;
}

/* Returns the node's place in tables with NODES entries. */
static size_t place_of(const struct aa_node *node) {
    return ((uintptr_t)node >> 6) % NODES;
}

/* Returns the busy time since the node's last check or, if that is unknown, since the start. */
static double computed_since(struct aa_books *books, const struct aa_node *node, double computing) {
    struct look *last = &books->last[place_of(node)];
    double before = last->node == node ? last->computing : 0;
    *last = (struct look){node, computing};
    return computing - before;
}

/* Returns the node's record; null if the node was never throttled. */
static struct aa_throttle *record_of(const struct aa_thread *thread, const struct aa_node *node) {
    return aa_tree_note(thread, node);
}

/* Returns the number of the node's visits that were timed. */
static uint64_t timed_visits(const struct aa_throttle *record, const struct aa_node *node) {
    if (!record)
        return node->visits;
    return record->visits + (record->again ? node->visits - record->again : 0);
}

/* Returns the node's own CPU time in ticks. */
static int64_t own_time(const struct aa_node *node) {
    return node->wall[AA_OWN] - node->off[AA_OWN];
}

/*
 * Returns whether a node may be throttled again, because it has since been timed for as many visits as
 * before. So nodes change their state less and less often.
 */
static bool was_timed_long(const struct aa_thread *thread, const struct aa_node *node) {
    const struct aa_throttle *record = record_of(thread, node);
    return !record || node->visits - record->again >= record->visits;
}

static double computing_of(const struct aa_thread *thread) {
    const struct aa_books *books = thread->books;
    return (double)(thread->last - books->begin) - (double)books->left_out;
}

static double ticks_of(double nanoseconds) {
    return nanoseconds * 1e-9 * aa_shard()->ticks_per_second;
}

/* Returns whether a node without timed children is short, judged by its own time. */
static bool is_short_leaf(const struct aa_thread *thread, const struct aa_node *node, double part) {
    double timed = (double)timed_visits(record_of(thread, node), node);
    return (double)own_time(node) * AA_THROTTLE_LOOK < part * timed && aa_tree_is_leaf(thread, node);
}

static double price(uint64_t entries) {
    return ticks_of((double)entries * (double)aa_shard()->pair_cost);
}

/*
 * Returns the cost of throttled entries, whether or not they called the library, and of Fortran's stub for
 * timed regions.
 */
static double price_of_rest(const struct aa_thread *thread) {
    const struct aa_header *header = aa_shard();
    double calling = (double)thread->passed - (double)thread->opened - (double)thread->left;
    double stub = (double)header->fortran_cost - (double)header->pair_cost; /* at least 0 */
    return ticks_of((double)thread->fortran * stub + (double)thread->opened * (double)header->opened_cost +
                    (double)thread->left * (double)header->left_cost +
                    (double)thread->silent * (double)header->passing_cost +
                    (double)thread->slotted * (double)header->slot_cost +
                    (calling > 0 ? calling : 0) * (double)header->throttled_cost);
}

double aa_throttle_share(void) {
    return allowed;
}

/* Returns the time below which this number of visits, including everything in them, is too short to be
 * measured. */
static double part_of_share(uint64_t visits) {
    return price(visits) / (PART_OF_SHARE * allowed);
}

/*
 * Returns whether to throttle a node. There are two conditions. First, measuring takes more than its share of
 * the busy time, both in total and since a node was last throttled, so that no more nodes are throttled than
 * necessary. Second, the node's visits are so short, including everything timed in them, that measuring these
 * visits alone exceeds a fixed fraction of this share. The second condition must hold both recently and in
 * total, because a loop that waits for work is short only for a while. Nodes with longer visits are measured,
 * even if the same region is short on other call paths.
 */
static bool costs_too_much(struct aa_thread *thread, const struct aa_node *node) {
    struct aa_books *books = books_of(thread);
    if (!books)
        return false;
    books->entries += AA_THROTTLE_LOOK;
    uint64_t recent = books->entries - books->entries_before;
    double computing = computing_of(thread), since = computed_since(books, node, computing);
    double soonest = SOONEST * aa_shard()->ticks_per_second;
    double part = part_of_share(AA_THROTTLE_LOOK), rest = price_of_rest(thread);
    bool dear = price(node->visits) > PART_OF_SHARE * allowed * computing;
    return node->visits > AA_THROTTLE_LOOK && recent >= LOOKS * AA_THROTTLE_LOOK &&
           price(books->entries) + rest > allowed * (computing > soonest ? computing : soonest) &&
           price(recent) + rest - books->rest_before > allowed * (computing - books->before) &&
           was_timed_long(thread, node) && ((since < part && dear) || is_short_leaf(thread, node, part));
}

static void begin_anew(struct aa_thread *thread) {
    struct aa_books *books = thread->books;
    books->entries_before = books->entries;
    books->rest_before = price_of_rest(thread);
    books->before = computing_of(thread);
}

static void begin_sample(struct aa_throttle *record) {
    record->sampled = record->longest = 0;
    record->own = -1;
}

/* Appends the record of a node that was never throttled. The caller holds the lock. */
static struct aa_throttle *append_record(struct aa_thread *thread, const struct aa_node *node) {
    struct aa_throttle *record = aa_shard_append(AA_RECORD_THROTTLE, sizeof *record);
    if (!record)
        return NULL;
    record->node = (uint32_t)(((char *)node - (char *)aa_shard()) / AA_SHARD_ALIGNMENT);
    record->visits = node->visits;
    /* the node counts as timed again until it is marked as throttled */
    record->again = node->visits ? node->visits : 1;
    aa_shard_publish();
    return aa_tree_keep_note(thread, node, record) ? record : NULL;
}

/* Records that a child of a node was throttled: the next team that is opened there searches its edges. */
static void search_again(struct aa_thread *thread, const struct aa_node *from) {
    struct aa_books *books = books_of(thread);
    if (!books)
        return;
    books->has_throttled = true;
    const struct aa_node **framed = &books->framed[place_of(from)];
    if (*framed == from)
        *framed = NULL;
}

/*
 * Throttles a node. The node's record is in the shard before its first untimed entry. From now on, regions
 * entered from the node count as entered from its parent. The caller holds the lock.
 */
static void throttle(struct aa_thread *thread, const struct aa_edge *edge) {
    struct aa_node *node = edge->child, *from = edge->node;
    if (!from || !node || aa_is_throttled(node))
        return;
    struct aa_throttle *record = record_of(thread, node);
    if (!record && !(record = append_record(thread, node))) /* may move the edges */
        return;
    uint64_t timed = timed_visits(record, node);
    record->again = 0;
    /* if the process is killed here, the record must not contain too many timed visits */
    aa_in_order();
    record->visits = timed;
    record->computing = computing_of(thread);
    begin_sample(record);
    bool opens_teams = node->wall[AA_OMP] > 0; /* the threads of these teams continue at this node */
    aa_tree_mark(thread, from, node, opens_teams ? AA_THROTTLED | AA_FRAMED : AA_THROTTLED);
    search_again(thread, from);
}

/* Searches the edges only if one of the node's children was throttled since a team was last opened there. */
void aa_throttle_frame(struct aa_thread *thread, bool (*is_construct)(const char *descriptor)) {
    struct aa_books *books = thread->books;
    const struct aa_node *node = thread->current;
    if (!books || !books->has_throttled || books->framed[place_of(node)] == node)
        return;
    books->framed[place_of(node)] = node;
    aa_tree_frame(thread, node, is_construct);
}

static bool throttle_from_start(struct aa_thread *thread, struct aa_node *node) {
    struct aa_throttle *record = append_record(thread, node);
    if (!record)
        return false;
    record->again = 0;
    begin_sample(record);
    aa_tree_mark(thread, aa_tree_parent(node), node, AA_THROTTLED);
    search_again(thread, aa_tree_parent(node));
    return true;
}

struct aa_node *aa_throttle_if_short(struct aa_thread *thread, struct aa_node *child) {
    if (!child || aa_is_throttled(child) || child->visits || !aa_is_short_path(child))
        return child;
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    bool done = throttle_from_start(thread, child);
    aa_shard_unlock();
    aa_section_end(section);
    return done ? (struct aa_node *)((uintptr_t)child | AA_THROTTLED) : child;
}

/*
 * Returns whether the current node may be throttled. The node must be a child of the previous node, that is,
 * not entered recursively. The region must not be a callback of a library, because its time must not be added
 * to the library's time.
 */
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

/*
 * Returns whether a node is no longer short, judged in the same way as when it was throttled. This must hold
 * both for the mean of the sample without its longest visit, which an interrupt may have lengthened, and for
 * the busy time since the last sample.
 */
static bool took_long(const struct aa_thread *thread, struct aa_throttle *record) {
    double part = part_of_share(AA_THROTTLE_PERIOD);
    double computing = computing_of(thread), since = computing - record->computing;
    double mean = (double)(record->sampled - record->longest) / (AA_THROTTLE_SAMPLE - 1);
    record->computing = computing;
    return since >= part && mean * AA_THROTTLE_PERIOD >= part;
}

static void add_to_sample(struct aa_throttle *record, int64_t own) {
    record->sampled += own;
    if (own > record->longest)
        record->longest = own;
}

/* Returns whether to time this visit; ends a sample after AA_THROTTLE_SAMPLE visits. */
static bool sample(struct aa_thread *thread, const struct aa_node *node, struct aa_throttle *record) {
    uint64_t number = node->visits % AA_THROTTLE_PERIOD;
    if (number == 0)
        begin_sample(record);
    else if (record->own < 0)
        return false;
    else
        add_to_sample(record, own_time(node) - record->own);
    if (number < AA_THROTTLE_SAMPLE) {
        record->own = own_time(node);
        record->visits++;
        return true;
    }
    record->own = -1;
    if (!took_long(thread, record))
        return false;
    record->again = node->visits - 1;
    aa_shard_lock();
    aa_tree_unmark(thread, aa_tree_parent(node), node);
    aa_shard_unlock();
    return true;
}

bool aa_throttle_sample(struct aa_thread *thread, const struct aa_node *node) {
    if (aa_thread_closed || !aa_shard())
        return false;
    struct aa_section section = aa_section_begin();
    struct aa_throttle *record = record_of(thread, node);
    bool timed = record && !record->again && sample(thread, node, record);
    aa_section_end(section);
    return timed;
}
