/*
 * Where threads of OpenMP wait for each other: how often they come to a place, how often another thread was
 * there before them, and how long they wait. Each place has one record per call path of a thread.
 */
#ifndef AA_OPENMP_WAITS_H
#define AA_OPENMP_WAITS_H

#include "objects.h"
#include "shard.h"

/*
 * The calling thread, which has a tree, comes to the place from which a call returns to an address. Null
 * without memory.
 */
struct aa_wait *aa_wait_enter(enum aa_wait_kind kind, const void *returns_to);

/* Forgets the places in this memory, because others may be there. */
void aa_wait_forget(struct aa_span span);

/* A wait, which may begin in a task that is executed during another one: around it is the place of that. */
struct aa_waiting {
    struct aa_wait *around;
    bool has_begun, is_outermost;
};

/*
 * It waits in a call of the library, as aa_share_begin has it; the place may be null. A wait that has not
 * begun need not end.
 */
struct aa_waiting aa_wait_begin(struct aa_wait *wait);
void aa_wait_end(struct aa_waiting waiting);

/*
 * A thread, which may be without a tree, asks for a lock, and gives it back. Whether it may have to wait, as
 * others hold it or wait for it: else nobody need look at the clock. When instructions are counted, each
 * entry is a call of the library.
 */
bool aa_lock_asked(struct aa_wait *wait, const void *lock);
void aa_lock_given_back(const void *lock);

#endif
