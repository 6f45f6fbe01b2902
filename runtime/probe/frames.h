/* The open regions of a thread: each has a frame, which stores the node from which the region was entered. */
#ifndef AA_FRAMES_H
#define AA_FRAMES_H

#include "key.h"
#include "self.h"
#include "shard.h"
#include "site.h"

static inline void aa_frame_set(struct aa_frame *frame, struct aa_node *node, const char *key,
                                struct aa_call call) {
    frame->node = node;
    aa_key_set(&frame->key, key);
    frame->call = call;
}

/*
 * Doubles the space for open regions; returns false if there is no memory. The caller holds the shard's lock,
 * because another thread may be about to forget keys.
 */
bool aa_frames_make(struct aa_thread *thread);

/*
 * Doubles the space in the same way, but takes the lock itself. Returns whether there is space for one more
 * region. In a signal handler that interrupts the library, only the spare frames are available.
 */
bool aa_frames_deepen(struct aa_thread *thread);

/* Returns whether there is space for one more open region, after providing more space if necessary. */
static inline bool aa_frames_have_room(struct aa_thread *thread) {
    return aa_likely(thread->top < thread->limit) || aa_frames_deepen(thread);
}

/*
 * Opens a region: from now on, time goes to `node`, which may be `from` itself. from: the current node, to
 * which the thread will return. The caller has checked that no site is open and that there is space.
 */
static inline void aa_frames_push_plainly(struct aa_thread *thread, struct aa_node *from, const char *key,
                                          struct aa_node *node) {
    struct aa_frame *frame = thread->top;
    thread->top = frame + 1;
    aa_in_order();
    aa_frame_set(frame, from, key, thread->call);
    thread->call = (struct aa_call){.share = AA_OWN};
    thread->current = node;
}

/* Opens a region from the current node, after closing all sites. */
static inline void aa_frames_push(struct aa_thread *thread, const char *key, struct aa_node *node) {
    aa_sites_close(thread);
    aa_frames_push_plainly(thread, thread->current, key, node);
}

/* Closes this frame's region and all regions inside it, and returns to its previous node. No site is open. */
static inline void aa_frames_pop_plainly(struct aa_thread *thread, struct aa_frame *frame) {
    thread->current = frame->node;
    thread->call = frame->call;
    aa_in_order();
    thread->top = frame;
}

/* Closes all sites, and then this frame's region and all regions inside it. */
static inline void aa_frames_pop(struct aa_thread *thread, struct aa_frame *frame) {
    aa_sites_close(thread);
    aa_frames_pop_plainly(thread, frame);
}

/* Opens a region in a node without counting a visit; returns false if there is no memory for the frame. */
bool aa_frames_descend(struct aa_thread *thread, const char *key, struct aa_node *node);

/*
 * Removes keys in this memory from `count` frames, because the library that contains their descriptors is
 * being unloaded. The caller holds the shard's lock.
 */
void aa_frames_forget_keys(struct aa_frame *frames, uint64_t count, struct aa_span span);

#endif
