/* Events: entries and exits of regions. */
#ifndef AA_EVENT_H
#define AA_EVENT_H

#include "shard.h"

/*
 * Returns a new or reused tree for the calling thread, as aa_thread_attach does; null if there is none. The
 * first call also measures the cost of events.
 */
struct aa_thread *aa_event_attach(uint32_t number);

#endif
