#include "self.h"
#include "key.h"

static struct aa_node nowhere;
static struct aa_edge to_nothing;
static struct aa_frame bottom = {.key = aa_no_key};
static struct aa_thread nobody = {.current = &nowhere, .edges = &to_nothing, .top = &bottom + 1};

_Thread_local struct aa_thread *aa_thread_self AA_INITIAL_EXEC;
_Thread_local struct aa_thread *aa_thread_probed AA_INITIAL_EXEC = &nobody;
_Thread_local bool aa_thread_closed AA_INITIAL_EXEC;
_Thread_local const struct aa_node *aa_thread_birth AA_INITIAL_EXEC;

void aa_thread_become(struct aa_thread *thread) {
    aa_thread_probed = &nobody; /* in case a signal handler interrupts this function */
    aa_in_order();
    aa_thread_self = thread;
    aa_in_order();
    if (thread)
        aa_thread_probed = thread;
}
