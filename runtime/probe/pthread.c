/*
 * Threads that the program creates with POSIX or C11 functions. Their work is recorded below the node in
 * which they were created.
 */
#define _GNU_SOURCE
#include "book.h"
#include "counter.h"
#include "path.h"
#include "probe.h"
#include "sample_stack.h"
#include "sample_start.h"
#include "symbol.h"
#include "self.h"

#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

struct birth {
    union {
        void *(*posix)(void *);
        thrd_start_t c11;
    } start;
    void *argument;
    const struct aa_node *node;
    uint64_t chain;
    size_t stack; /* bytes */
};

static void check(const void *function, const void *caller) {
    (void)caller;
    if (function == NULL)
        abort(); /* impossible, because the loader would not have loaded the program */
}

static struct birth take(void *given) {
    struct birth birth = *(struct birth *)given;
    free(given);
    aa_thread_birth = birth.node;
    aa_path_born = birth.chain;
    aa_sample_stack_begin(birth.stack);
    return birth;
}

static const void *code_of(const struct birth *birth) {
    return (const void *)birth->start.posix;
}

static void *begin(void *given) {
    struct birth birth = take(given);
    aa_sample_begin_thread(birth.node, code_of(&birth));
    return birth.start.posix(birth.argument);
}

static int begin_c11(void *given) {
    struct birth birth = take(given);
    aa_sample_begin_thread(birth.node, code_of(&birth));
    return birth.start.c11(birth.argument);
}

/*
 * Books the creator's work up to now, and returns the number of its chain. The new thread starts with this
 * chain.
 */
static uint64_t chain_of_birth(void) {
    if (aa_thread_closed || !aa_path_is_followed())
        return aa_path_born;
    aa_counter_stop();
    aa_book(aa_thread_self);
    uint64_t chain = aa_path_birth();
    aa_counter_go();
    return chain;
}

static size_t default_stack(void) {
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_attr_init(&attributes) != 0)
        return SIZE_MAX;
    bool is_known = pthread_attr_getstacksize(&attributes, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return is_known ? bytes : SIZE_MAX;
}

/*
 * Returns the data for a new thread; null if a library such as MPI creates the thread inside a call, so that
 * it does not belong to the program.
 */
static struct birth *give_birth(void *argument) {
    if (!aa_thread_self)
        aa_sample_begin_program();
    const struct aa_thread *thread = aa_thread_self;
    struct birth *birth = thread && !thread->call.depth ? malloc(sizeof *birth) : NULL;
    if (birth)
        *birth = (struct birth){.argument = argument,
                                .node = thread->current,
                                .chain = chain_of_birth(),
                                .stack = default_stack()};
    return birth;
}

AA_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                             void *argument) {
    __typeof__(pthread_create) *next =
        (__typeof__(next))AA_NEXT("pthread_create", __builtin_return_address(0), check);
    struct birth *birth = give_birth(argument);
    if (!birth)
        return next(thread, attributes, start, argument);
    birth->start.posix = start;
    if (attributes)
        pthread_attr_getstacksize(attributes, &birth->stack);
    int error = next(thread, attributes, begin, birth);
    if (error)
        free(birth);
    return error;
}

AA_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument) {
    __typeof__(thrd_create) *next =
        (__typeof__(next))AA_NEXT("thrd_create", __builtin_return_address(0), check);
    struct birth *birth = give_birth(argument);
    if (!birth)
        return next(thread, start, argument);
    birth->start.c11 = start;
    int result = next(thread, begin_c11, birth);
    if (result != thrd_success)
        free(birth);
    return result;
}
