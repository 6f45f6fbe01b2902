/* Events: a region is entered or left. */
#ifndef AA_EVENT_H
#define AA_EVENT_H

#include "shard.h"

/*
 * Give the calling thread a tree, as aa_thread_attach does; the first one also measures the price of an
 * event.
 */
struct aa_thread *aa_event_attach(uint32_t number);

#endif
