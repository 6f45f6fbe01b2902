/*
 * Threads that continue the call path of another thread: those of a team in a parallel region, at the node
 * where the thread that opened it was; and a thread that executes a task, at the node where the task was
 * created.
 *
 * A turn is what a thread does there. After its turn, a thread of a team waits until the last one is done.
 * It is not notified of that, because it waits in the OpenMP library and stays there until there is more
 * to do. So when the opener closes the team, it books the waits of all other threads; or a thread does
 * this itself, if it is called earlier. The one that removes the team from `waits_for` books the wait.
 */
#ifndef AA_TEAM_H
#define AA_TEAM_H

#include "shard.h"

/* Where a call path continues: the node, and a permanent key of its region. */
struct aa_origin {
    struct aa_node *node;
    const char *key;
    struct aa_node *construct; /* which each thread of a team enters; null: none */
};

/* Exists as long as the parallel region, with space for the maximum number of threads. */
struct aa_team {
    struct aa_origin origin;
    struct aa_thread *opener;
    uint32_t room;
    _Atomic uint32_t count;
    struct aa_thread **members;
};

/* The current position of the calling thread, which has a tree: for a team, and for a task. */
struct aa_origin aa_team_origin(void);
struct aa_origin aa_task_origin(void);

void aa_team_open(struct aa_team *team, struct aa_thread **members, uint32_t room);
void aa_team_close(struct aa_team *team);

/* The thread has done its part, and waits for the others at this node; again: not for the first time. */
void aa_team_wait(struct aa_thread *thread, struct aa_team *team, struct aa_node *node, bool again);

/* The thread continues, so its wait ends. Returns the team that was waited for, if it is not closed yet. */
struct aa_team *aa_team_come_back(struct aa_thread *thread);

/* The process ends: idle threads will not continue. */
void aa_team_finish(void);

#endif
