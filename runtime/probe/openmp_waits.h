/*
 * Places where OpenMP threads wait for each other: how many times threads enter a place, how many times
 * another thread is already there, and how long they wait. Each place has one record per call path of a
 * thread.
 */
#ifndef AA_OPENMP_WAITS_H
#define AA_OPENMP_WAITS_H

#include "objects.h"
#include "shard.h"

/*
 * Counts an entry of the calling thread, which has a tree, and returns the place's record; null if there is
 * no memory. returns_to: the return address of the waiting call, which identifies the place.
 */
struct aa_wait *aa_wait_enter(enum aa_wait_kind kind, const void *returns_to);

/* Forgets the places in this memory, because another library may be loaded there. */
void aa_wait_forget(struct aa_span span);

/*
 * A wait. It may begin in a task that the thread executes during another wait. around: the place of that
 * other wait.
 */
struct aa_waiting {
    struct aa_wait *around;
    bool has_begun, is_outermost;
};

/*
 * Begin and end a wait in a library call (aa_share_begin). wait: the place, or null. Ending a wait that has
 * not begun does nothing.
 */
struct aa_waiting aa_wait_begin(struct aa_wait *wait);
void aa_wait_end(struct aa_waiting waiting);

/*
 * Called when a thread, with or without a tree, requests a lock, and when it has released the lock.
 * aa_lock_asked returns whether the thread may have to wait, because others hold the lock or wait for it. If
 * not, the wait need not be timed. When instructions are counted, aa_lock_asked returns true, so that each
 * entry is a library call.
 */
bool aa_lock_asked(struct aa_wait *wait, const void *lock);
void aa_lock_given_back(const void *lock);

#endif
