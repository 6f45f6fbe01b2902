/*
 * A thread's work since the last reading, by node: CPU time in the program's own code and in file I/O; or
 * instructions, if they are counted exactly for each node.
 */
#ifndef AA_WORK_H
#define AA_WORK_H

#include "shard.h"

/*
 * Only nodes that were open at the last reading or visited since can have changed. A node without visits
 * is a base, or part of another thread's call path.
 */
struct aa_work_node;

struct aa_work {
    struct aa_work_node *nodes;
    uint32_t count, capacity;
    uint32_t *places; /* hash table with open addressing: a node's offset → its index in nodes, plus 1 */
    struct aa_record *seen;
    uint32_t roots; /* the index of the first root, plus 1 */
    bool counted;   /* the value of aa_work_is_counted() */
    bool outside;   /* a base's own work is not the program's */
};

/* Whether work is in instructions. */
bool aa_work_is_counted(void);

/*
 * Reports the work of each node since the last reading: its offset divided by 64, a number of its call
 * path, and the work. Returns how many nodes were read.
 */
typedef void aa_work_told(void *to, uint32_t node, uint32_t what, double work);
uint32_t aa_work_look(struct aa_work *work, const struct aa_thread *thread, aa_work_told *tell, void *to);

#endif
