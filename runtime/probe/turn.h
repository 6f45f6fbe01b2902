/* A thread's turn on the call path of another thread: see team.h. */
#ifndef AA_TURN_H
#define AA_TURN_H

#include "team.h"

/* thread is null if the thread is not recorded. */
struct aa_turn {
    struct aa_thread *thread;
    uint64_t depth;
    struct aa_team *waited_for;
};

/* number: the thread's in its team, or AA_ANY_TREE. team: the team to wait for afterwards, or null. */
struct aa_turn aa_turn_begin(struct aa_origin origin, uint32_t number);
void aa_turn_end(struct aa_turn turn, struct aa_team *team);

#endif
