/*
 * Samples show what a thread executes. After each period of the thread's CPU time, a timer sends it SIGURG, a
 * signal that hardly any program uses. The handler counts the thread's node and the address of its next
 * instruction in a table in the shard. Gathering finds the functions and lines (runtime/gather/inside.py).
 *
 * Newer kernels (on x86-64, since Linux 5.9) send this signal when they return to the program, so it
 * interrupts no system calls. With older kernels, nothing is sampled.
 */
#ifndef AA_SAMPLE_H
#define AA_SAMPLE_H

#include "shard.h"

#include <signal.h>
#include <ucontext.h>

enum aa_sampling {
    AA_SAMPLING_ON,
    AA_SAMPLING_OLD_KERNEL,
    AA_SAMPLING_THEIRS,  /* the program handles SIGURG itself */
    AA_SAMPLING_BLOCKED, /* the thread has blocked SIGURG, at its first region or later */
    AA_SAMPLING_REFUSED, /* the system provided no timer */
    AA_SAMPLING_SMALL,   /* the thread runs on a small stack, or on a stack of unknown size */
    AA_SAMPLING_MASKING  /* the thread blocks and unblocks signals too often */
};

struct aa_sample_count {
    uint64_t place; /* the address, 0 if unknown or not in own code; its highest byte contains the share of
                       the time */
    uint32_t node;  /* the node's offset in the file, divided by 64; 0: the entry is free */
    uint32_t periods;
};

/* The samples of the threads that use a tree, as a hash table with open addressing. */
struct aa_samples {
    struct aa_record record;
    uint32_t thread;  /* the tree's index */
    uint32_t state;   /* an enum aa_sampling */
    uint32_t room;    /* number of entries, a power of two; 0: none */
    uint32_t used;    /* number of entries in use */
    uint32_t timer;   /* the kernel's number of the timer, plus 1; 0: none */
    uint64_t period;  /* nanoseconds */
    uint64_t signals; /* number of samples */
    uint64_t periods; /* number of periods that the samples represent; a late sample represents several */
    uint64_t crowded; /* number of periods counted without their address, because the table is full */
    uint64_t lost;    /* number of periods not counted: the table is full, or the signal came too late */
    struct aa_sample_count counts[];
} __attribute__((aligned(AA_SHARD_ALIGNMENT)));

/* The code of a program or library in memory. bias: its address minus its address in the linked file. */
struct aa_mapping {
    struct aa_record record;
    uint32_t length; /* length of the name, without its null character */
    uint64_t start, end, bias;
    char name[]; /* empty: the executable */
};

/* Reads the rate from the environment. memory: bytes to which the shard may grow. */
void aa_sample_load(uint64_t memory);

/* Returns whether samples are requested. */
bool aa_sample_is_wanted(void);

/*
 * Begin and end samples of the calling thread, which has blocked all signals. before: the signals that were
 * already blocked before.
 */
void aa_sample_begin(struct aa_thread *thread, const sigset_t *before);
void aa_sample_end(struct aa_thread *thread);

/*
 * Pause and resume the calling thread's samples: a thread takes no samples while it blocks SIGURG, so that no
 * sample is ever pending. The caller may be a signal handler, so both functions preserve errno and take no
 * lock.
 */
void aa_sample_pause(void);
void aa_sample_resume(void);

/*
 * aa_sample_is_taken returns whether the calling thread takes samples, even if they are paused;
 * aa_sample_goes_on returns whether it takes samples now.
 */
bool aa_sample_is_taken(void);
bool aa_sample_goes_on(void);

/*
 * Called when the calling thread is about to use another stack, for signal handlers or contexts; ends its
 * samples if the stack is too small. bytes: the size of the stack.
 */
void aa_sample_use_stack(size_t bytes);

/* Called when the calling thread is about to continue in this context, with another stack and signal mask. */
void aa_sample_enter_context(const ucontext_t *context);

/* Forgets the parent's samples in the child of a fork. */
void aa_sample_forget(void);

/* Returns whether the signal's handler is ours. */
bool aa_sample_has_signal(void);

/*
 * Installs the handler of the signal, unless the program has installed one; returns whether our handler is
 * installed. The caller holds the shard's lock. end: called when the program begins to handle the signal.
 */
bool aa_sample_take_signal(void (*handler)(int, siginfo_t *, void *), void (*end)(void));

/* Records the objects that were loaded since the last call. The caller does not hold the shard's lock. */
void aa_sample_note_objects(void);
void aa_sample_forget_objects(void);

#endif
