#define _GNU_SOURCE
#include "thread.h"
#include "book.h"
#include "counter.h"
#include "frames.h"
#include "messages.h"
#include "path.h"
#include "process.h"
#include "sample.h"
#include "self.h"
#include "site.h"
#include "team.h"
#include "throttle.h"
#include "trace.h"
#include "tree.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The trees that are free for other threads, and the main thread's tree. Protected by the shard's lock. */
static struct {
    struct aa_thread *main, *free;
    pthread_key_t key;
    bool has_key;
} trees;

/*
 * The open regions of the thread that forks. The child needs a copy, because frames are private memory of
 * the thread. Several threads may fork at once.
 */
struct open_regions {
    struct aa_frame *bottom, *top;
};
static _Thread_local struct open_regions handed_down AA_INITIAL_EXEC;
static struct open_regions inherited;

static uint32_t thread_id(void) {
    return (uint32_t)syscall(SYS_gettid);
}

static bool is_main(void) {
    return thread_id() == (uint32_t)getpid();
}

void aa_thread_forget_keys(struct aa_span span) {
    struct aa_section section = aa_section_begin();
    aa_shard_lock();
    for (struct aa_record *record = NULL; aa_shard() && (record = aa_shard_next(record));) {
        struct aa_thread *thread = (struct aa_thread *)record;
        if (record->type != AA_RECORD_THREAD)
            continue;
        aa_tree_forget_keys(thread, span);
        aa_frames_forget_keys(thread->frames, thread->frames ? thread->frame_capacity : 0, span);
    }
    aa_frames_forget_keys(inherited.bottom, (uint64_t)(inherited.top - inherited.bottom), span);
    aa_shard_unlock();
    aa_section_end(section);
}

/* ---- trees, used by one thread after the other */

static struct aa_thread *append_tree(struct aa_header *header) {
    struct aa_thread *thread = aa_shard_append(AA_RECORD_THREAD, sizeof *thread);
    if (!thread)
        return NULL;
    thread->index = header->threads;
    thread->base = aa_tree_append(thread, NULL, AA_NO_REGION);
    if (!thread->base)
        return NULL;
    thread->current = thread->base;
    header->threads++;
    aa_shard_publish();
    return thread;
}

static struct aa_thread *free_tree(uint32_t number) {
    struct aa_thread **link = &trees.free;
    while (*link && number != AA_ANY_TREE && (*link)->index != number)
        link = &(*link)->next_free;
    struct aa_thread *thread = *link;
    if (thread)
        *link = thread->next_free;
    return thread;
}

static void set_free(struct aa_thread *thread) {
    thread->next_free = trees.free;
    trees.free = thread;
}

/*
 * Appends trees up to this number and returns the last one. The others stay free for the threads with their
 * numbers.
 */
static struct aa_thread *append_tree_numbered(struct aa_header *header, uint32_t number) {
    struct aa_thread *thread = append_tree(header);
    while (thread && thread->index < number) {
        set_free(thread);
        thread = append_tree(header);
    }
    return thread;
}

/*
 * Returns a tree for the calling thread; null if there is no memory. The first tree belongs to the main
 * thread, even if another thread needs one first. Other threads get the tree with their number if it is free
 * or can be appended, otherwise any free tree or a new one.
 */
static struct aa_thread *take_tree(struct aa_header *header, uint32_t number) {
    if (!trees.main && !(trees.main = append_tree(header)))
        return NULL;
    if (is_main())
        return trees.main;
    struct aa_thread *thread = free_tree(number);
    if (!thread && number != AA_ANY_TREE && number >= header->threads)
        thread = append_tree_numbered(header, number);
    if (!thread)
        thread = free_tree(AA_ANY_TREE);
    return thread ? thread : append_tree(header);
}

static void begin_main(struct aa_thread *thread) {
    aa_watch_open_at_start(&thread->watch);
    thread->last = aa_clock_start().ticks;
}

/*
 * Opens the regions that were open in the parent, because the child of a fork continues where its parent was.
 * This does not count as visits, because the parent entered the regions.
 */
static void reopen_inherited(struct aa_thread *thread) {
    uint64_t collapsed = thread->collapsed;
    for (struct aa_frame *frame = inherited.bottom + 1; frame < inherited.top; frame++) {
        const char *key = aa_key_get(&frame->key);
        struct aa_node *node = key == aa_no_key ? NULL : aa_throttled_node(aa_tree_step(thread, key));
        if (!aa_frames_descend(thread, key, node ? node : thread->current))
            break;
    }
    thread->collapsed = collapsed;
    inherited = (struct open_regions){NULL, NULL};
}

static void begin(struct aa_thread *thread) {
    thread->tid = thread_id();
    thread->in_use = 1;
    thread->current = aa_thread_birth ? aa_tree_base_below(thread, aa_thread_birth) : thread->base;
    thread->call = (struct aa_call){.share = AA_OWN};
    aa_frame_set(thread->frames, thread->current, aa_no_key, thread->call);
    thread->top = thread->frames + 1;
    if (thread == trees.main && !thread->taken) {
        begin_main(thread);
        if (inherited.bottom)
            reopen_inherited(thread);
    } else {
        aa_watch_open(&thread->watch);
        uint64_t now = aa_clock_ticks();
        if (thread->taken) {
            aa_throttle_leave_out(thread, now - thread->last);
            aa_path_tree_taken_over(thread);
        }
        thread->last = now;
    }
    if (thread == trees.main)
        aa_slots_begin(thread);
    bool is_first = thread == trees.main && !thread->taken;
    aa_trace_begin(thread, is_first);
    if (!aa_counter_begin(thread, is_first))
        atomic_fetch_add(&aa_shard()->uncounted, 1);
    thread->taken++;
}

/* ---- the end of a thread */

static void give_back(struct aa_thread *thread) {
    aa_team_come_back(thread);
    aa_sites_close(thread);
    aa_book(thread);
    aa_path_thread_ends(thread);
    aa_trace_end(thread);
    aa_counter_end();
    aa_watch_close(&thread->watch);
    thread->current = thread->base;
    thread->top = thread->frames + 1;
    thread->in_use = 0;
    if (thread == trees.main) {
        aa_slots_end();
        return;
    }
    aa_shard_lock();
    set_free(thread);
    aa_shard_unlock();
}

/* Uses a system call, because the C library's function is wrapped for the program. */
static void set_mask(const sigset_t *mask, sigset_t *before) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, before, _NSIG / 8);
}

/*
 * Blocks all signals, and returns the previous mask. Otherwise, a handler with probes could wait for a lock
 * that its own thread holds while it gets or returns its tree.
 */
static sigset_t block_signals(void) {
    sigset_t all, before;
    sigfillset(&all);
    sigemptyset(&before);
    set_mask(&all, &before);
    return before;
}

static void end_thread(void *tree) {
    if (!aa_process_records() || aa_thread_self != tree)
        return;
    sigset_t before = block_signals();
    aa_sample_end(tree);
    aa_counter_stop();
    aa_thread_become(NULL);
    give_back(tree);
    set_mask(&before, NULL);
}

void aa_thread_stop(void) {
    struct aa_thread *thread = aa_thread_self;
    aa_thread_closed = true;
    thread->stopped++;
    end_thread(thread);
}

/* ---- forks */

static void before_fork(void) {
    const struct aa_thread *thread = aa_thread_self;
    if (thread)
        handed_down = (struct open_regions){thread->frames, thread->top};
    else
        handed_down = is_main() ? inherited : (struct open_regions){NULL, NULL};
}

static void in_child(void) {
    inherited = handed_down;
    aa_tree_forget();
    aa_path_forget();
    aa_messages_forget();
    aa_sites_forget();
    aa_sample_forget();
    trees.main = trees.free = NULL;
    aa_thread_become(NULL);
    aa_thread_birth = NULL;
    aa_thread_closed = false;
}

/* ---- the start of a thread */

static struct aa_thread *find_tree(uint32_t number) {
    aa_shard_lock();
    struct aa_header *header = aa_process_shard();
    if (header && !trees.has_key)
        trees.has_key = pthread_key_create(&trees.key, end_thread) == 0;
    struct aa_thread *thread = header && trees.has_key ? take_tree(header, number) : NULL;
    if (thread && !thread->frames && !(aa_frames_make(thread) && aa_tree_widen(thread)))
        thread = NULL;
    aa_shard_unlock();
    return thread;
}

static struct aa_thread *attach(uint32_t number) {
    aa_process_forks(before_fork, in_child);
    struct aa_section section = aa_section_begin();
    struct aa_thread *thread = find_tree(number);
    aa_section_end(section);
    if (!thread) {
        if (aa_shard())
            atomic_fetch_add(&aa_shard()->unrecorded, 1);
        aa_thread_closed = true;
        return NULL;
    }
    begin(thread);
    pthread_setspecific(trees.key, thread);
    aa_thread_become(thread);
    return thread;
}

struct aa_thread *aa_thread_attach(uint32_t number) {
    if (!aa_process_records() || aa_thread_closed)
        return NULL;
    sigset_t before = block_signals();
    struct aa_thread *thread = attach(number);
    if (thread)
        aa_sample_begin(thread, &before);
    set_mask(&before, NULL);
    return thread;
}
