/*
 * Throttling: call paths that are so short and entered so often that measuring them costs more than
 * AUTOANALYZER_MAX_OVERHEAD allows. Their time goes to their parents from then on, and an entry is only
 * counted, until their visits take long.
 */
#ifndef AA_THROTTLE_H
#define AA_THROTTLE_H

#include "shard.h"

#define AA_THROTTLE_PERIOD 4096u /* visits after which a node is checked; twin: aa_begin in stub.h */
#define AA_THROTTLE_SAMPLE 4u    /* consecutive visits of a throttled node that are timed per period */

/*
 * Reads from the environment the share of busy time that events may take; 0: no limit. Called when the
 * library is loaded.
 */
void aa_throttle_load(void);
double aa_throttle_share(void);

/* The thread was in a library call for this long, for example waiting for another rank, or off the CPU. */
void aa_throttle_leave_out(struct aa_thread *thread, uint64_t ticks);

/* Frees the data of a thread that is not recorded after all. */
void aa_throttle_forget(struct aa_thread *thread);

/*
 * A team is opened, and no construct is known to be open: throttled children of the thread's node get
 * frames from their next entry on.
 */
void aa_throttle_frame(struct aa_thread *thread, bool (*is_construct)(const char *descriptor));

/* The region on top was entered for another period: checks it. */
void aa_throttle_look(struct aa_thread *thread);

/*
 * For a node that is entered now, perhaps for the first time: returns it marked as throttled if its call
 * path is known to be short.
 */
struct aa_node *aa_throttle_if_short(struct aa_thread *thread, struct aa_node *child);

/*
 * The node is throttled, and was entered for another period or a few times more: returns whether this
 * visit is timed. Visits of the sample are; if they took long, so are the next one and all that follow.
 */
bool aa_throttle_sample(struct aa_thread *thread, const struct aa_node *node);

#endif
