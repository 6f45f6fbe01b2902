/* Events: the entry and exit of regions. */
#ifndef AA_EVENT_H
#define AA_EVENT_H

#include "shard.h"

/*
 * Gives the calling thread a tree, as aa_thread_attach does; the first call also measures the cost of
 * events.
 */
struct aa_thread *aa_event_attach(uint32_t number);

#endif
