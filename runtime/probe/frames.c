#define _GNU_SOURCE
#include "frames.h"
#include "memory.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_FRAMES 2048u
#define SPARE_FRAMES 64u /* frames for signal handlers that interrupt the library while it allocates more */

static void use_frames(struct aa_thread *thread, struct aa_frame *frames, uint64_t capacity) {
    size_t depth = thread->frames ? (size_t)(thread->top - thread->frames) : 0;
    thread->frames = frames;
    thread->frame_capacity = capacity;
    thread->limit = frames + capacity - SPARE_FRAMES;
    aa_in_order();
    thread->top = frames + depth;
}

bool aa_frames_make(struct aa_thread *thread) {
    struct aa_frame *old = thread->frames;
    uint64_t old_capacity = thread->frame_capacity;
    uint64_t capacity = old_capacity ? 2 * old_capacity : FIRST_FRAMES;
    struct aa_frame *frames = aa_memory_map(capacity * sizeof *frames);
    if (frames && old)
        memcpy(frames, old, (size_t)((char *)thread->top - (char *)old));
    if (frames)
        use_frames(thread, frames, capacity);
    if (frames && old)
        munmap(old, old_capacity * sizeof *old);
    return frames != NULL;
}

bool aa_frames_deepen(struct aa_thread *thread) {
    if (aa_thread_closed)
        return (uint64_t)(thread->top - thread->frames) < thread->frame_capacity;
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    bool is_deeper = aa_frames_make(thread);
    aa_shard_unlock();
    aa_section_end(section);
    return is_deeper;
}

bool aa_frames_descend(struct aa_thread *thread, const char *key, struct aa_node *node) {
    if (!aa_frames_have_room(thread))
        return false;
    aa_frames_push(thread, key, node);
    return true;
}

/* Searches all frames, because only the thread that uses them knows how many are in use. */
void aa_frames_forget_keys(struct aa_frame *frames, uint64_t count, struct aa_span span) {
    for (uint64_t i = 0; i < count; i++)
        aa_key_forget(&frames[i].key, span);
}
