/*
 * The critical path: the longest chain of work, of whatever ranks, that leads to where a thread stands.
 *
 * Each thread that calls MPI has a chain: its length, and what of it each node of each rank has. Work of its
 * own makes it longer. Where it has waited for a longer chain, it goes on with that one; the difference is
 * what it waited for, and the fault of the call paths by which the other chain is ahead of its own. Once all
 * ranks have met, they have one chain in common: the rank whose it is keeps it as part of the critical path,
 * and all begin anew with its length. So a message carries a few entries, and no rank has to know what was
 * before. Of a chain with more entries than a message has, the oldest stay behind in a segment of the shard,
 * which the later ones name.
 */
#ifndef AA_PATH_H
#define AA_PATH_H

#include "shard.h"

enum aa_path_state {
    AA_PATH_NOT_ASKED,
    AA_PATH_ALONE,    /* processes of the job are not recorded, or do not see the same folder */
    AA_PATH_SESSIONS, /* MPI began with sessions alone, whose processes have no communicator in common */
    AA_PATH_KNOWN,
    AA_PATH_TOO_DEAR, /* until all agreed to leave it */
    AA_PATH_MISSED    /* a message of ours did not come */
};

/* Bytes of a chain that a message has to carry. */
static inline size_t aa_path_size(const struct aa_path *path) {
    return offsetof(struct aa_path, entries) + path->count * sizeof *path->entries;
}

/* The calling thread's chain, with what it has worked until it called MPI; null: it has none. */
const struct aa_path *aa_path_here(void);

/* The calling thread has what another chain leads to: one that met it in a collective, or sent it a message.
 */
void aa_path_join(const struct aa_path *other);
void aa_path_join_sender(const struct aa_path *other);

/* All ranks have met, and this is the longest of their chains; `mine`: it is the calling thread's. */
void aa_path_meet(const struct aa_path *longest, bool mine);

/* The chain of another thread of the process is the caller's, too, if it is longer. */
void aa_path_gather_threads(void);

/* Whether the calling thread has a chain, which it has once it calls MPI. */
bool aa_path_is_followed(void);

/* It has closed a team of these threads: what the slowest of all has worked since the chain was looked at
 * last belongs to it. */
void aa_path_team_closed(struct aa_thread *const *members, uint32_t count);

/* What all this has taken until now, of all threads, in ticks: looking at nodes, and putting chains together.
 */
uint64_t aa_path_taken(void);

/* The calling thread does more for it, in so many steps, from a start on: what is counted meanwhile is in it.
 */
uint64_t aa_path_effort_begins(void);
void aa_path_effort_ends(uint64_t start, uint32_t steps);

/* The process is at its end: what it has worked since belongs to the chain. */
void aa_path_finish(void);

#endif
