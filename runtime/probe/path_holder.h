/* The chains of the process's threads. Only the thread that holds the lock (path_turn.h) may use them. */
#ifndef AA_PATH_HOLDER_H
#define AA_PATH_HOLDER_H

#include "path_share.h"
#include "path_turn.h"
#include "self.h"
#include "work.h"

/* A thread's chain. `path` is in the shard, so it survives the process. Other threads may change it. */
struct aa_path_holder {
    struct aa_path_holder *next;
    const struct aa_thread *thread;
    struct aa_path *path;
    struct aa_path before; /* the chain when threads were last gathered */
    struct aa_path joined; /* the last chain that the thread has waited for */
    struct aa_work work;
    double length;  /* the length of the chain when the thread last added its work */
    double in_team; /* the thread's work in the innermost team that it has opened, up to the last reading */
    uint32_t teams; /* the number of teams that the thread has opened */
    struct aa_path_share slowest; /* in its outermost team, the work of the slowest thread before a barrier */
    struct aa_effort effort;
};

extern struct aa_path_holder *_Atomic aa_path_holders;
extern _Thread_local struct aa_path_holder *aa_path_own AA_INITIAL_EXEC; /* the calling thread's */
extern _Atomic bool aa_path_has_ended;

/* Returns whether the path is still recorded and the calling thread has a chain, which starts with its first
 * MPI call. */
bool aa_path_is_followed(void);

struct aa_path_holder *aa_path_known_holder(const struct aa_thread *thread);

/* Returns a thread's holder, which is created if necessary; null if there is no memory. */
struct aa_path_holder *aa_path_holder_of(const struct aa_thread *thread);

/* Adds a thread's work to its chain. If other threads lengthened the chain while this thread worked, only
 * work that exceeds this increase lengthens it further. */
void aa_path_add_work(struct aa_path_holder *holder, const struct aa_path_share *share);

#endif
