#include "self.h"

_Thread_local struct aa_thread *aa_thread_self AA_INITIAL_EXEC;
_Thread_local bool aa_thread_closed AA_INITIAL_EXEC;
_Thread_local const struct aa_node *aa_thread_birth AA_INITIAL_EXEC;
