/*
 * The regions that a thread has open: one frame each, which stores the node from which the region was
 * entered.
 */
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
 * Doubles the space for open regions; false without memory. The caller holds the shard's lock, because
 * another thread may be about to forget keys.
 */
bool aa_frames_make(struct aa_thread *thread);

/* The same without the lock; returns whether there is space for one more. */
bool aa_frames_deepen(struct aa_thread *thread);

static inline bool aa_frames_have_room(struct aa_thread *thread) {
    return aa_likely(thread->top < thread->limit) || aa_frames_deepen(thread);
}

/* Opens a frame; from now on time goes to the node, which may be the same one. No site is open. */
static inline void aa_frames_push_plainly(struct aa_thread *thread, struct aa_node *from, const char *key,
                                          struct aa_node *node) {
    struct aa_frame *frame = thread->top;
    thread->top = frame + 1;
    aa_in_order();
    aa_frame_set(frame, from, key, thread->call);
    thread->call = (struct aa_call){.share = AA_OWN};
    thread->current = node;
}

static inline void aa_frames_push(struct aa_thread *thread, const char *key, struct aa_node *node) {
    aa_sites_close(thread);
    aa_frames_push_plainly(thread, thread->current, key, node);
}

static inline void aa_frames_pop_plainly(struct aa_thread *thread, struct aa_frame *frame) {
    thread->current = frame->node;
    thread->call = frame->call;
    aa_in_order();
    thread->top = frame;
}

static inline void aa_frames_pop(struct aa_thread *thread, struct aa_frame *frame) {
    aa_sites_close(thread);
    aa_frames_pop_plainly(thread, frame);
}

/* Continues in a node without a visit; false if there is no memory. */
bool aa_frames_descend(struct aa_thread *thread, const char *key, struct aa_node *node);

/*
 * Forgets the keys in this memory, because they will be no descriptors any more. The caller holds the
 * shard's lock.
 */
void aa_frames_forget_keys(struct aa_frame *frames, uint64_t count, struct aa_span span);

#endif
