/*
 * What a thread has worked since the last look, by node: on a processor, in the program's own code and in
 * file I/O; or, where the instructions of each node are counted exactly, these.
 */
#ifndef AA_WORK_H
#define AA_WORK_H

#include "shard.h"

/*
 * Nodes that can have changed are those that were open at the last look, and those that were visited since.
 * What is never visited is a base, or part of a path of another thread.
 */
struct aa_work_node;

struct aa_work {
    struct aa_work_node *nodes;
    uint32_t count, capacity;
    uint32_t *places; /* open addressing: of a node's offset its place in nodes and 1 */
    struct aa_record *seen;
    uint32_t roots; /* the place of the first and 1 */
    bool counted;   /* as aa_work_is_counted() says */
    bool outside;   /* what a base has itself is no work of the program's */
};

/* Whether work is instructions. */
bool aa_work_is_counted(void);

/* Tell what each node has worked since the last look, whose offset by 64 comes with a number of its call
 * path. Returns how many nodes were looked at. */
typedef void aa_work_told(void *to, uint32_t node, uint32_t what, double work);
uint32_t aa_work_look(struct aa_work *work, const struct aa_thread *thread, aa_work_told *tell, void *to);

#endif
