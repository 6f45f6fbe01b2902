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

/* Where a path goes on from: the node, and the key of the region that is open there. */
struct aa_origin {
    struct aa_node *node;
    const char *key;
    bool is_construct; /* which each thread of a team enters */
};

/* Lives as long as the parallel region, with room for all threads that there can be. */
struct aa_team {
    struct aa_origin origin;
    struct aa_thread *opener;
    uint32_t room;
    _Atomic uint32_t count;
    struct aa_thread **members;
};

/* Null where the thread is not recorded. */
struct aa_turn {
    struct aa_thread *thread;
    uint64_t depth;
    struct aa_team *waited_for;
};

/* Where the calling thread stands, which has a tree: for a team, and for a task. */
struct aa_origin aa_team_origin(void);
struct aa_origin aa_task_origin(void);

void aa_team_open(struct aa_team *team, struct aa_thread **members, uint32_t room);
void aa_team_close(struct aa_team *team);

/* The number is the thread's in its team, or AA_ANY_TREE; the team is the one to be waited for, or null. */
struct aa_turn aa_turn_begin(struct aa_origin origin, uint32_t number);
void aa_turn_end(struct aa_turn turn, struct aa_team *team);

/* The thread is about to do something: a wait ends. The team that was waited for, if it is not closed yet. */
struct aa_team *aa_team_come_back(struct aa_thread *thread);

/* The process ends: no idle thread will come back. */
void aa_team_finish(void);

#endif
