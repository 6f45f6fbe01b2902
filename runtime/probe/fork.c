#define _GNU_SOURCE
#include "fork.h"
#include "probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static struct watcher { void (*before)(void), (*in_child)(void); } watchers[AA_FORK_WATCHERS];

static int count;

static pid_t (*next)(void);

void aa_fork_watch(void (*before)(void), void (*in_child)(void)) {
    if (count == AA_FORK_WATCHERS || pthread_atfork(before, NULL, in_child) != 0)
        return;
    watchers[count++] = (struct watcher){before, in_child};
}

/*
 * Looks up the C library's function early: a signal handler may call the function, but must not look it up.
 */
static __attribute__((constructor)) void find_next(void) {
    next = (pid_t(*)(void))dlsym(RTLD_NEXT, "_Fork");
}

/* Wraps _Fork, which does not run the handlers of pthread_atfork; fork does not call it. */
AA_EXPORT pid_t _Fork(void);
AA_EXPORT pid_t _Fork(void) {
    if (!next)
        find_next();
    if (!next) {
        errno = ENOSYS;
        return -1;
    }
    for (int i = count; i-- > 0;)
        if (watchers[i].before)
            watchers[i].before();
    pid_t child = next();
    for (int i = 0; child == 0 && i < count; i++)
        watchers[i].in_child();
    return child;
}
