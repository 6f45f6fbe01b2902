/*
 * Threads that go on with the path of another one: a team in a parallel region, whose threads stand where the
 * thread stood that opened it; and whoever executes a task, where it was made.
 *
 * A turn is what a thread does there. After its turn a thread of a team waits until the last one is done.
 * Nobody tells it when that is, as it waits in the OpenMP library, and stays there until there is more to do.
 * So the opener, who is told, books the wait of all others when it closes the team; or a thread itself does,
 * if it is called before that. Whoever takes `waits_for` out does it.
 */
#ifndef AA_TEAM_H
#define AA_TEAM_H

#include "shard.h"

/* Where a path goes on from: the node, and a key of its region that stays. */
struct aa_origin {
    struct aa_node *node;
    const char *key;
    struct aa_node *construct; /* which each thread of a team enters; null: there is none */
};

/* Lives as long as the parallel region, with room for all threads that there can be. */
struct aa_team {
    struct aa_origin origin;
    struct aa_thread *opener;
    uint32_t room;
    _Atomic uint32_t count;
    struct aa_thread **members;
};

/* Where the calling thread stands, which has a tree: for a team, and for a task. */
struct aa_origin aa_team_origin(void);
struct aa_origin aa_task_origin(void);

void aa_team_open(struct aa_team *team, struct aa_thread **members, uint32_t room);
void aa_team_close(struct aa_team *team);

/* The thread has done its part, and waits for the others at this node; again: not for the first time. */
void aa_team_wait(struct aa_thread *thread, struct aa_team *team, struct aa_node *node, bool again);

/* The thread is about to do something: a wait ends. The team that was waited for, if it is not closed yet. */
struct aa_team *aa_team_come_back(struct aa_thread *thread);

/* The process ends: no idle thread will come back. */
void aa_team_finish(void);

#endif
