/*
 * The critical path: the longest chain of work, across ranks, that leads to a thread's position. Each thread
 * that calls MPI has a chain, which consists of its length, and of the share of each node of each rank. The
 * thread's own work lengthens the chain. After waiting for a thread with a longer chain, a thread continues
 * with that chain. The difference in length is the time that it waited, caused by the call paths in which the
 * other chain is ahead of its own. Once all ranks have met, they have one chain in common. The rank of this
 * chain stores it as part of the critical path, and all ranks start again with its length. So messages
 * contain only a few entries, and no rank needs earlier ones. If a chain has more entries than fit into a
 * message, the smallest stay behind in a segment of the shard, to which later entries refer.
 */
#ifndef AA_PATH_H
#define AA_PATH_H

#include "path_chain.h"
#include "path_holder.h"

enum aa_path_state {
    AA_PATH_NOT_ASKED,
    AA_PATH_ALONE,    /* some processes of the job are not recorded, or use different folders */
    AA_PATH_SESSIONS, /* MPI began only with sessions, whose processes have no communicator in common */
    AA_PATH_KNOWN,
    AA_PATH_TOO_DEAR, /* the path is known up to the point where all ranks ended it, because recording cost
                         too much */
    AA_PATH_MISSED    /* a message of the tool did not arrive */
};

/* Copies the calling thread's chain, with its work up to its MPI call. Returns false if it has no chain. */
bool aa_path_here(struct aa_path *to);

/* Called when a thread with a chain creates another thread. Returns the number of the chain with which the
 * new thread starts, which it stores in aa_path_born; 0 if unknown. */
uint64_t aa_path_birth(void);
extern _Thread_local uint64_t aa_path_born AA_INITIAL_EXEC;

/* Excludes the work up to now in a tree that another thread takes over, because this work belongs to the
 * thread that has ended. */
void aa_path_tree_taken_over(const struct aa_thread *thread);

/* Adds the work of the calling thread, which is about to end, to its chain, if it has one. thread: its
 * tree. */
void aa_path_thread_ends(const struct aa_thread *thread);

/* Adds the calling thread's work up to now to its chain, if it has one. */
void aa_path_update(void);

/*
 * If another chain is longer, continue the calling thread's chain from that one: the chain of a thread in the
 * same collective, or of the sender of a message. sender: the rank for which the communication matrix counts
 * the wait; AA_PATH_NO_SENDER if the matrix does not include this wait.
 */
#define AA_PATH_NO_SENDER (-1)
void aa_path_join(const struct aa_path *other);
void aa_path_join_sender(const struct aa_path *other, int sender);

/* Called with the longest chain when all ranks have waited for each other. mine: whether it is the calling
 * thread's chain. */
void aa_path_meet(const struct aa_path *longest, bool mine);

/* Continues the calling thread's chain from the longest chain of its process, if that is longer. */
void aa_path_gather_threads(void);

/* Forgets all chains in the child of a fork, because they belong to its parent. */
void aa_path_forget(void);

/* Ends the path: from now on, no chain changes. */
void aa_path_end(void);

/*
 * Returns the cost of chains so far, for examining nodes and joining chains, in ticks summed over all
 * threads.
 */
uint64_t aa_path_taken(void);

/* Begin and end other work of the calling thread, and add its time to this cost. steps: the number of nodes
 * or entries. Costs that are added during this work count only once. */
uint64_t aa_path_effort_begins(void);
void aa_path_effort_ends(uint64_t start, uint32_t steps);

#endif
