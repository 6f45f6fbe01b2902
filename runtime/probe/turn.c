#define _GNU_SOURCE
#include "turn.h"
#include "book.h"
#include "counter.h"
#include "event.h"
#include "frames.h"
#include "self.h"
#include "tree.h"

#include <errno.h>

/*
 * Moves to `node`, the thread's own node for the origin's call path. Counts a visit of the construct, except
 * for the opener, which has already counted its visit.
 */
static bool descend(struct aa_thread *thread, struct aa_origin origin, struct aa_node *node) {
    if (!aa_frames_descend(thread, origin.key, node))
        return false;
    if (origin.construct && node != origin.node)
        aa_tree_adopt(thread, origin.construct)->visits++;
    return true;
}

static struct aa_turn begin(struct aa_thread *thread, struct aa_origin origin, struct aa_team *team) {
    struct aa_turn turn = {.waited_for = aa_team_come_back(thread), .team = team};
    struct aa_node *node = aa_tree_adopt(thread, origin.node);
    aa_book(thread);
    uint64_t depth = (uint64_t)(thread->top - thread->frames);
    if (!descend(thread, origin, node))
        return turn;
    turn.thread = thread, turn.depth = depth;
    if (team)
        turn.around = aa_path_part_begins(&team->path, thread == team->opener, node);
    else
        aa_path_task_begins(node);
    return turn;
}

struct aa_turn aa_turn_begin(struct aa_origin origin, struct aa_team *team, uint32_t number) {
    int error = errno;
    struct aa_turn turn = {.thread = NULL};
    aa_counter_stop();
    struct aa_thread *thread = aa_thread_self;
    if (!thread) {
        aa_thread_birth = NULL; /* this thread continues the call paths of its teams */
        thread = aa_event_attach(number);
    }
    if (thread)
        turn = begin(thread, origin, team);
    aa_counter_go();
    errno = error;
    return turn;
}

static void end(struct aa_thread *thread, struct aa_turn turn) {
    struct aa_team *team = turn.team;
    aa_book(thread);
    if (team)
        aa_path_part_ends(turn.around);
    struct aa_frame *frame = thread->frames + turn.depth;
    if (frame >= thread->top) {
        thread->unmatched++;
        return;
    }
    bool is_last = frame == thread->top - 1;
    thread->repairs += !is_last;
    struct aa_node *node = is_last ? thread->current : frame[1].node;
    aa_frames_pop(thread, frame);
    if (turn.waited_for)
        aa_team_wait(thread, turn.waited_for, node, true);
    else if (team && thread != team->opener)
        aa_team_wait(thread, team, node, false);
}

void aa_turn_end(struct aa_turn turn) {
    struct aa_thread *thread = aa_thread_self;
    if (!turn.thread || thread != turn.thread)
        return;
    aa_counter_stop();
    end(thread, turn);
    aa_counter_go();
}
