/* What happens at an event: time is counted to the node where the thread stands. */
#ifndef AA_EVENT_H
#define AA_EVENT_H

#include "shard.h"

/* Count the time since the last event. */
void aa_event_book(struct aa_thread *thread);

/* Learn whether an event may be quick. */
void aa_event_prepare(void);

/* What an entry and exit of a region costs, in ticks. */
double aa_event_pair_cost(void);

#endif
