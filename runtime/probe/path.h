/*
 * The critical path: the longest chain of work, across ranks, that leads to a thread's position. Each thread
 * that calls MPI has a chain: its length, and the share of each node of each rank. The thread's own work
 * makes it longer. If the thread has waited for a longer chain, it continues with that one. The difference is
 * the time that it waited, caused by the call paths in which the other chain is ahead of its own. Once all
 * ranks have met, they have one chain in common: its rank stores it as part of the critical path, and all
 * start again with its length. So a message carries only a few entries, and no rank has to know what came
 * before. If a chain has more entries than a message has room for, the oldest stay behind in a segment of the
 * shard, to which later ones refer.
 */
#ifndef AA_PATH_H
#define AA_PATH_H

#include "path_chain.h"
#include "self.h"

enum aa_path_state {
    AA_PATH_NOT_ASKED,
    AA_PATH_ALONE,    /* processes of the job are not recorded, or do not see the same folder */
    AA_PATH_SESSIONS, /* MPI began with sessions alone, whose processes have no communicator in common */
    AA_PATH_KNOWN,
    AA_PATH_TOO_DEAR, /* until all agreed to leave it */
    AA_PATH_MISSED    /* a message of ours did not come */
};

/* Copy the calling thread's chain, with its work until it called MPI; false: it has none. */
bool aa_path_here(struct aa_path *to);

/* The calling thread, which has a chain, creates another: a number of where it goes on from, which is told to
 * that thread at its start; 0: not known. */
uint64_t aa_path_birth(void);
extern _Thread_local uint64_t aa_path_born AA_INITIAL_EXEC;

/* The calling thread's work until now belongs to its chain, if it has one. */
void aa_path_update(void);

/*
 * The calling thread continues after another chain, of a thread that it met in a collective, or that sent a
 * message.
 */
void aa_path_join(const struct aa_path *other);
void aa_path_join_sender(const struct aa_path *other);

/* All ranks have met, and this is the longest of their chains; `mine`: it is the calling thread's. */
void aa_path_meet(const struct aa_path *longest, bool mine);

/* The chain of another thread of the process is the caller's, too, if it is longer. */
void aa_path_gather_threads(void);

/* Whether the calling thread has a chain, which it has once it calls MPI. */
bool aa_path_is_followed(void);

/*
 * The calling thread has closed a team: the slowest thread's work since the chain was last updated belongs to
 * it.
 */
void aa_path_team_closed(struct aa_thread *const *members, uint32_t count);

/* The child of a fork has no chains: they are its parent's. */
void aa_path_forget(void);

/* The path is known until now: each thread goes on after its own chain, whatever comes of others. */
void aa_path_end(void);
extern _Atomic bool aa_path_has_ended;

/* The cost of all this so far, over all threads, in ticks: examining nodes, and joining chains. */
uint64_t aa_path_taken(void);

/* The calling thread does more for it, in so many steps, from a start on: what is counted meanwhile is in it.
 */
uint64_t aa_path_effort_begins(void);
void aa_path_effort_ends(uint64_t start, uint32_t steps);

#endif
