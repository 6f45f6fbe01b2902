/*
 * Call paths so short and entered so often that measuring them costs more than AUTOANALYZER_MAX_OVERHEAD
 * allows: their time goes to their parents from then on, and an entry only counts, until they take long.
 */
#ifndef AA_THROTTLE_H
#define AA_THROTTLE_H

#include "shard.h"

#define AA_THROTTLE_PERIOD 4096u /* visits after which a node is looked at; twin: aa_begin in stub.h */
#define AA_THROTTLE_SAMPLE 4u /* of these, visits of a throttled node that are timed, one after the other */

/* The share of computing that events may take; 0: as much as they do. Read from the environment when the
 * library is loaded. */
void aa_throttle_load(void);
double aa_throttle_share(void);

/* So long the thread was in a library call, such as a wait for another rank, or off the processor. */
void aa_throttle_leave_out(struct aa_thread *thread, uint64_t ticks);

/* Give back what is kept of a thread that was none. */
void aa_throttle_forget(struct aa_thread *thread);

/*
 * A team is opened, and no construct is known to be open: those that only count where the thread stands have
 * frames from their next entry on.
 */
void aa_throttle_frame(struct aa_thread *thread, bool (*is_construct)(const char *descriptor));

/* The region on top was entered for so many times again. */
void aa_throttle_look(struct aa_thread *thread);

/* A node that is entered now, perhaps for the first time, if any: marked as throttled then, where its path is
 * known to be short. */
struct aa_node *aa_throttle_if_short(struct aa_thread *thread, struct aa_node *child);

/*
 * The node is throttled, and was entered for so many times again, or a few times more: whether this visit is
 * timed. Those of the sample are, and if they took long, so are the next one and all that follow.
 */
bool aa_throttle_sample(struct aa_thread *thread, const struct aa_node *node);

#endif
