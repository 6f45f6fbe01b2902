/*
 * A thread's work since the last reading, by node: CPU time in the program's own code and in file I/O; or
 * instructions if they are counted exactly for each node.
 */
#ifndef AA_WORK_H
#define AA_WORK_H

#include "shard.h"

/*
 * A reading skips nodes that cannot have changed: those that were not open at the last reading and not
 * visited since. Nodes without visits are always read, because they are bases or belong to another thread's
 * call path.
 */
struct aa_work_node;

struct aa_work {
    struct aa_work_node *nodes;
    uint32_t count, capacity;
    /* hash table with open addressing, from a node's offset to its index in nodes, plus 1 */
    uint32_t *places;
    /* the last record of the shard that was searched for nodes */
    struct aa_record *seen;
    uint32_t roots;     /* the index of the first root, plus 1 */
    uint64_t continued; /* the thread's value at the last reading; see aa_work_continues */
    bool counted;       /* the value of aa_work_is_counted() */
    bool outside;       /* whether a base's own work is before or after main, and does not count */
};

/* Returns whether work is measured in instructions, rather than in nanoseconds. */
bool aa_work_is_counted(void);

/*
 * Calls `tell` with the work of each node since the last reading, and returns the number of nodes that were
 * read. node: the node's offset divided by 64. what: a number of its call path, the same in all ranks.
 * visits: the visits since `tell` was last called for the node. work: nanoseconds or instructions.
 */
typedef void aa_work_told(void *to, uint32_t node, uint32_t what, uint64_t visits, double work);
uint32_t aa_work_look(struct aa_work *work, const struct aa_thread *thread, aa_work_told *tell, void *to);

/*
 * Called by a thread that continues at one of its nodes without a visit, as for a task; takes no lock. From
 * then on, each reading reads the node, until so many others have followed that it is no longer in
 * continued_at. When continued_at changes, `continued` is increased, and the next reading reads all nodes.
 */
void aa_work_continues(struct aa_thread *thread, const struct aa_node *node);

#endif
