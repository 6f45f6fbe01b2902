/* What a thread does with the path of another one: see team.h. */
#ifndef AA_TURN_H
#define AA_TURN_H

#include "team.h"

/* Null where the thread is not recorded. */
struct aa_turn {
    struct aa_thread *thread;
    uint64_t depth;
    struct aa_team *waited_for;
};

/* The number is the thread's in its team, or AA_ANY_TREE; the team is the one to be waited for, or null. */
struct aa_turn aa_turn_begin(struct aa_origin origin, uint32_t number);
void aa_turn_end(struct aa_turn turn, struct aa_team *team);

#endif
