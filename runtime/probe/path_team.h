/*
 * Teams of threads on the critical path. Only the slowest thread counts: over the whole execution or, if
 * threads wait for each other at barriers of the team, between each two barriers.
 */
#ifndef AA_PATH_TEAM_H
#define AA_PATH_TEAM_H

#include "path_holder.h"

/*
 * A team that a thread opens. When the team is closed, the work of the slowest member is added to the
 * thread's chain: the thread's own work, plus the additional work of a slower member.
 */
struct aa_path_team {
    bool is_followed;              /* whether the opener had a chain */
    double around;                 /* the opener's work in the enclosing team */
    struct aa_path_holder *opener; /* null if the team's barriers are not followed */
    uint32_t reached;              /* the number of barriers that threads have reached */
    _Atomic uint32_t passed;       /* the number of barriers whose slowest thread is in the opener's chain */
    _Atomic bool is_over;          /* whether the team's next barriers are no longer followed */
    double slowest[2]; /* the work of the slowest thread before the last two barriers, by parity */
};

/* Called when a thread opens a team, after adding its work to its chain, and when it has closed the team. */
void aa_path_team_opened(struct aa_path_team *team);
void aa_path_team_closed(const struct aa_path_team *team, struct aa_thread *const *threads, uint32_t count);

/* A thread's part in a team. */
struct aa_path_part {
    struct aa_path_team *team; /* null if the team's barriers are not followed */
    uint32_t barriers;         /* the number of barriers that the thread has reached */
    double work;               /* the thread's work before the last of these barriers */
    bool had_task;             /* whether the thread has executed a task since that barrier */
};

/* Called by each thread of a team when it begins its part at a node, after booking its work, and when it ends
 * this part. The first function returns the thread's part in the enclosing team. */
struct aa_path_part aa_path_part_begins(struct aa_path_team *team, bool is_opener,
                                        const struct aa_node *node);
void aa_path_part_ends(struct aa_path_part around);

/* Called when a thread begins a task at a node. */
void aa_path_task_begins(const struct aa_node *node);

/* Returns whether the calling thread has a part in a team whose barriers are followed. */
bool aa_path_has_barriers(void);

/* Called when the thread reaches a barrier, after booking its work, and when it leaves the barrier.
 * cancelled: whether it leaves without waiting, because the region was cancelled. */
void aa_path_barrier_reached(void);
void aa_path_barrier_left(bool cancelled);

/* Exclude a thread's work up to now from its chain, or from the teams of which it is a member. */
void aa_path_pass_over(struct aa_work *work, const struct aa_thread *thread);
void aa_path_member_passed_over(const struct aa_thread *thread);

/* Returns the cost of following barriers so far, in ticks summed over all threads. */
uint64_t aa_path_taken_at_barriers(void);

/* Forgets all members in the child of a fork. */
void aa_path_forget_teams(void);

#endif
