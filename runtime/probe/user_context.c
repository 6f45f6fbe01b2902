/*
 * User threads, that is, contexts between which swapcontext switches. Each context has its own stack of open
 * regions. The open regions are saved in the frame of the call that switches away. They are opened again when
 * that call returns, in any thread and for any reason, including the end of a context's function.
 *
 * A new context begins below the node from which the thread itself switched to its first context. If the
 * thread jumps back to its own stack, the library only notices this when the thread leaves a region that was
 * open on that stack.
 */
#define _GNU_SOURCE
#include "book.h"
#include "counter.h"
#include "frames.h"
#include "key.h"
#include "memory.h"
#include "object.h"
#include "probe.h"
#include "sample.h"
#include "self.h"
#include "shard.h"
#include "site.h"
#include "symbol.h"
#include "thread.h"
#include "tree.h"
#include "user_context.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define OWN_FRAMES 64u
/*
 * maximum number of regions saved on the stack; more are saved in other memory, because a context's stack may
 * be as small as a page
 */
#define FRAMES_ON_STACK 16u

/* the node where new contexts of this thread begin; null: the thread is on its own stack */
static _Thread_local struct aa_node *birthplace AA_INITIAL_EXEC;

struct kept {
    struct aa_node *birthplace, *current;
    struct aa_call call;
    size_t depth;
    struct aa_frame *frames;
};

/*
 * A copy of the regions that were open on the thread's own stack, unless there were too many. It is a copy,
 * because a jump may leave the call that has saved the regions.
 */
static _Thread_local struct {
    struct kept kept;
    struct aa_frame frames[OWN_FRAMES];
} own AA_INITIAL_EXEC;

static void check(const void *function, const void *caller) {
    (void)caller;
    if (function == NULL)
        abort(); /* impossible, because the loader would not have loaded the program */
}

static size_t depth_of(const struct aa_thread *thread) {
    return (size_t)(thread->top - thread->frames) - 1; /* all frames except the base's */
}

static void go_to(struct aa_thread *thread, struct aa_node *node, struct aa_call call) {
    thread->current = node;
    thread->call = call;
    aa_in_order();
}

static void book(struct aa_thread *thread) {
    aa_book(thread);
    aa_sites_close(thread);
}

/* Saves the open regions without closing them, and starts with an empty stack. */
static __attribute__((noinline)) void put_away(struct aa_thread *thread, struct kept *kept) {
    struct aa_section section = aa_section_begin();
    aa_counter_stop();
    book(thread);
    for (size_t i = 0; i < kept->depth; i++)
        kept->frames[i] = thread->frames[i + 1];
    kept->birthplace = birthplace;
    kept->current = thread->current;
    kept->call = thread->call;
    if (!birthplace) {
        birthplace = thread->current;
        own.kept = *kept;
        own.kept.frames = own.frames;
        own.kept.depth = kept->depth <= OWN_FRAMES ? kept->depth : 0;
        for (size_t i = 0; i < own.kept.depth; i++)
            own.frames[i] = kept->frames[i];
    }
    go_to(thread, birthplace, (struct aa_call){.share = AA_OWN});
    thread->top = thread->frames + 1;
    aa_counter_go();
    aa_section_end(section);
}

/*
 * Returns the key of a saved frame; aa_no_key if its library was unloaded in the meantime, because saved
 * frames are not updated.
 */
static const char *key_of(const struct aa_frame *frame) {
    const char *key = aa_key_get(&frame->key);
    return aa_is_never_unloaded(key) || aa_object_has(key) ? key : aa_no_key;
}

static bool add_frame(struct aa_thread *thread, const struct aa_frame *frame) {
    if (!aa_frames_have_room(thread))
        return false;
    struct aa_node *node = aa_tree_adopt(thread, frame->node);
    aa_frame_set(thread->top, node, key_of(frame), frame->call);
    thread->top++;
    return true;
}

static void open_again(struct aa_thread *thread, const struct kept *kept) {
    thread->top = thread->frames + 1;
    for (size_t i = 0; i < kept->depth && add_frame(thread, &kept->frames[i]); i++)
        ;
    birthplace = kept->birthplace ? aa_tree_adopt(thread, kept->birthplace) : NULL;
    go_to(thread, aa_tree_adopt(thread, kept->current), kept->call);
}

static bool is_open(const struct kept *kept, const char *key) {
    for (size_t i = 0; i < kept->depth; i++) {
        if (strcmp(key_of(&kept->frames[i]), key) == 0)
            return true;
    }
    return false;
}

bool aa_user_context_jumped(struct aa_thread *thread, const char *key) {
    if (!birthplace || !is_open(&own.kept, key))
        return false;
    thread->repairs++;
    aa_sites_close(thread);
    open_again(thread, &own.kept);
    return true;
}

/* Opens the saved regions again. Not inline, because another thread may have executed the code before this
 * call. */
static __attribute__((noinline)) void take_back(const struct kept *kept) {
    if (aa_thread_closed)
        return;
    struct aa_thread *thread = aa_thread_self ? aa_thread_self : aa_thread_attach(AA_ANY_TREE);
    if (!thread)
        return;
    int error = errno; /* the program's, restored at the end */
    aa_counter_stop();
    book(thread);
    open_again(thread, kept);
    aa_counter_go();
    errno = error;
}

AA_EXPORT int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to) {
    __typeof__(swapcontext) *next =
        (__typeof__(next))AA_NEXT("swapcontext", __builtin_return_address(0), check);
    struct aa_thread *thread = aa_thread_closed ? NULL : aa_thread_self;
    if (!thread)
        return next(from, to);
    size_t depth = depth_of(thread), room = depth * sizeof(struct aa_frame);
    struct aa_frame few[depth <= FRAMES_ON_STACK ? depth + 1 : 1];
    struct aa_frame *many = depth <= FRAMES_ON_STACK ? NULL : aa_memory_map(room);
    struct kept kept = {.depth = many || depth <= FRAMES_ON_STACK ? depth : 0, .frames = many ? many : few};
    put_away(thread, &kept);
    aa_sample_enter_context(to);
    int result = next(from, to);
    take_back(&kept);
    if (many)
        aa_memory_unmap(many, room);
    return result;
}
