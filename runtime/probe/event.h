/* What happens at an event: time is counted to the node where the thread stands. */
#ifndef AA_EVENT_H
#define AA_EVENT_H

#include "shard.h"

/* Count the time since the last event. */
void aa_event_book(struct aa_thread *thread);

/* Go on in a node, without a visit; false if there is no memory for it. Return to where a frame was opened.
 */
bool aa_event_descend(struct aa_thread *thread, const char *key, struct aa_node *node);
void aa_event_return_to(struct aa_thread *thread, struct aa_frame *frame);

/* Count the time until now, less what the thread was idle after that, waiting or not, to the node where it
 * waited. */
void aa_event_book_wait(struct aa_thread *thread);

/* The same for another thread, which is idle. */
void aa_event_book_wait_of(struct aa_thread *thread);

/* Learn whether an event may be quick. */
void aa_event_prepare(void);

#endif
