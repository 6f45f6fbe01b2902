/*
 * Throttling: call paths that are so short, and entered so often, that measuring them costs more than
 * AUTOANALYZER_MAX_OVERHEAD allows, are no longer timed. Their time goes to their parents, and their
 * entries are only counted, until samples show that their visits take longer.
 */
#ifndef AA_THROTTLE_H
#define AA_THROTTLE_H

#include "shard.h"

/* visits after which a timed node is checked; few, so that programs with hundreds of call paths stay within
 * the limit */
#define AA_THROTTLE_LOOK 512u
/* visits after which a throttled node is timed; must equal the period in instrument/stub.h and fortran_stub.c
 */
#define AA_THROTTLE_PERIOD 4096u
#define AA_THROTTLE_SAMPLE 4u /* consecutive visits of a throttled node that are timed per period */

/* Reads AUTOANALYZER_MAX_OVERHEAD; called once, when the library is loaded. */
void aa_throttle_load(void);
/* Returns the share of the busy time that events may take; 0: no limit. */
double aa_throttle_share(void);

/*
 * Excludes some ticks from the thread's busy time, because the thread was off the CPU or in a library call,
 * for example waiting for another rank.
 */
void aa_throttle_leave_out(struct aa_thread *thread, uint64_t ticks);

/* Frees the data of a thread that will not be recorded after all. */
void aa_throttle_forget(struct aa_thread *thread);

/*
 * Makes throttled children of the thread's node open frames from their next entry on, if is_construct returns
 * true for their descriptors. Called when a team is opened and no construct is known to be open.
 */
void aa_throttle_frame(struct aa_thread *thread, bool (*is_construct)(const char *descriptor));

/*
 * Checks the most recently entered region, after another AA_THROTTLE_LOOK visits, and throttles it if
 * measuring it costs too much.
 */
void aa_throttle_look(struct aa_thread *thread);

/*
 * Returns the child that is being entered. If the child has no visits yet, and the timed run has throttled
 * its call path (short_paths.h), it is throttled and returned with the flag AA_THROTTLED. child: may be
 * null.
 */
struct aa_node *aa_throttle_if_short(struct aa_thread *thread, struct aa_node *child);

/*
 * Returns whether to time this visit of a throttled node. The first few visits of each period are a sample,
 * and are timed. If they take long, the node is no longer throttled, so all further visits are timed, too.
 * Called for the visits of the sample and for the visit after it.
 */
bool aa_throttle_sample(struct aa_thread *thread, const struct aa_node *node);

#endif
