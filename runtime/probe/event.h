/* What happens at an event: a region is entered or left. */
#ifndef AA_EVENT_H
#define AA_EVENT_H

#include "shard.h"

/* Give the calling thread a tree, as aa_thread_attach does; the first one is told what an event is, whose
 * price it finds out. */
struct aa_thread *aa_event_attach(uint32_t number);

#endif
