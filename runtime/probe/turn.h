/* A thread's turn on the call path of another thread: see team.h. */
#ifndef AA_TURN_H
#define AA_TURN_H

#include "team.h"

/*
 * The result of aa_turn_begin, which must be passed to aa_turn_end. thread: null if the turn is not recorded.
 * depth: the number of frames before the turn. waited_for: the open team for which the thread was waiting.
 * team: the team of the turn, or null; around: the thread's part in the enclosing team.
 */
struct aa_turn {
    struct aa_thread *thread;
    uint64_t depth;
    struct aa_team *waited_for, *team;
    struct aa_path_part around;
};

/*
 * Begin and end a turn of the calling thread. number: the thread's number in its team, or AA_ANY_TREE. team:
 * the team to which the turn belongs, and for which the thread waits afterwards; null for a task.
 */
struct aa_turn aa_turn_begin(struct aa_origin origin, struct aa_team *team, uint32_t number);
void aa_turn_end(struct aa_turn turn);

#endif
