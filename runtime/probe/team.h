/*
 * Threads that continue the call path of another thread. The threads of a team, which executes a parallel
 * region, continue at the node where the team's opener was; a thread that executes a task continues at the
 * node where the task was created.
 *
 * A thread's activity there is called its turn. After its turn, a thread of a team waits until the last
 * thread has finished. The probe library does not notice when this happens, because the thread waits inside
 * the OpenMP library until it gets more work. When the opener closes the team, it therefore books the waits
 * of all other threads. If a thread calls this library earlier, it books its own wait. The thread that
 * removes the team from `waits_for` books the wait.
 */
#ifndef AA_TEAM_H
#define AA_TEAM_H

#include "openmp_waits.h"
#include "path_team.h"

/* Where a call path continues: the node, and a key of its region that stays valid. */
struct aa_origin {
    struct aa_node *node;
    const char *key;
    struct aa_node *construct; /* the construct that each thread of a team enters; null if there is none */
};

/* A team, which exists as long as its parallel region. The opener provides the space for `room` members. */
struct aa_team {
    struct aa_origin origin;
    struct aa_thread *opener;
    uint32_t room;
    _Atomic uint32_t count;
    struct aa_thread **members;
    struct aa_waiting waiting; /* the opener's call of the OpenMP library, excluding its own turn */
    struct aa_path_team path;
};

/*
 * Return the current position of the calling thread, which has a tree, for a team that it opens or a task
 * that it creates.
 */
struct aa_origin aa_team_origin(void);
struct aa_origin aa_task_origin(void);

/*
 * Open and close a team in the calling thread. In between, the thread waits, except during its own turn.
 * members: zeroed memory for `room` threads.
 */
void aa_team_open(struct aa_team *team, struct aa_thread **members, uint32_t room);
void aa_team_close(struct aa_team *team);

/*
 * Records that a thread has finished and waits for the others at this node. again: whether it has already
 * waited for this team.
 */
void aa_team_wait(struct aa_thread *thread, struct aa_team *team, struct aa_node *node, bool again);

/*
 * Begin and end a wait of the calling thread at a barrier of its team. wait: the place, or null. cancelled:
 * whether the thread leaves without waiting for the others, because its parallel region was cancelled.
 */
struct aa_waiting aa_team_barrier_begin(struct aa_wait *wait);
void aa_team_barrier_end(struct aa_waiting waiting, bool cancelled);

/*
 * Ends a thread's wait, because the thread continues. Returns the team for which it waited, if the team is
 * not closed yet; otherwise null.
 */
struct aa_team *aa_team_come_back(struct aa_thread *thread);

/* Ends the waits of idle threads when the process ends. */
void aa_team_finish(void);

#endif
