/* Threads that the program creates: what they do stands below where they were created. */
#define _GNU_SOURCE
#include "probe.h"
#include "symbol.h"
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>

struct birth {
    void *(*start)(void *);
    void *argument;
    const struct aa_node *node;
};

static void check(const void *function, const void *caller) {
    (void)caller;
    if (function == NULL)
        abort(); /* the program could not have been loaded */
}

static void *begin(void *given) {
    struct birth birth = *(struct birth *)given;
    free(given);
    aa_thread_birth = birth.node;
    return birth.start(birth.argument);
}

/* What a library creates in a call is its own, as are the threads of MPI. */
static struct birth *give_birth(void *(*start)(void *), void *argument) {
    const struct aa_thread *thread = aa_thread_self;
    struct birth *birth = thread && !thread->call.depth ? malloc(sizeof *birth) : NULL;
    if (birth)
        *birth = (struct birth){start, argument, thread->current};
    return birth;
}

AA_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                             void *argument) {
    __typeof__(pthread_create) *next =
        (__typeof__(next))AA_NEXT("pthread_create", __builtin_return_address(0), check);
    struct birth *birth = give_birth(start, argument);
    if (!birth)
        return next(thread, attributes, start, argument);
    int error = next(thread, attributes, begin, birth);
    if (error)
        free(birth);
    return error;
}
