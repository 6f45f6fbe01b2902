/*
 * Wraps sigaction and similar functions, because the program may use the signal of samples itself. When it
 * sets a handler, sampling ends. Until then, these functions show the action that the program would have
 * without samples.
 */
#define _GNU_SOURCE
#include "probe.h"
#include "sample.h"
#include "self.h"

#include <dlfcn.h>
#include <errno.h>

typedef int set_action(int, const struct sigaction *, struct sigaction *);
typedef sighandler_t set_handler(int, sighandler_t);

static struct {
    set_action *sigaction;
    set_handler *signal, *bsd_signal, *ssignal, *sysv_signal, *__sysv_signal, *sigset;
} next;

static void (*end_samples)(void);
static _Atomic bool is_ours;
static _Atomic bool is_theirs; /* whether the program handles the signal; once true, stays true */
static struct sigaction
    of_program; /* the program's last action: the default action, or ignoring the signal */

static void find_next(void) {
    next.signal = (set_handler *)dlsym(RTLD_NEXT, "signal");
    next.bsd_signal = (set_handler *)dlsym(RTLD_NEXT, "bsd_signal");
    next.ssignal = (set_handler *)dlsym(RTLD_NEXT, "ssignal");
    next.sysv_signal = (set_handler *)dlsym(RTLD_NEXT, "sysv_signal");
    next.__sysv_signal = (set_handler *)dlsym(RTLD_NEXT, "__sysv_signal");
    next.sigset = (set_handler *)dlsym(RTLD_NEXT, "sigset");
    next.sigaction = (set_action *)dlsym(RTLD_NEXT, "sigaction");
}

/* Looks up the functions early, because a signal handler may call them, but must not look them up. */
static __attribute__((constructor)) void find_early(void) {
    find_next();
    dlerror(); /* otherwise dlerror would report our failures to the program */
}

static bool is_handler(sighandler_t handler) {
    return handler != SIG_DFL && handler != SIG_IGN;
}

bool aa_sample_has_signal(void) {
    return is_ours;
}

bool aa_sample_take_signal(void (*handler)(int, siginfo_t *, void *), void (*end)(void)) {
    struct sigaction found, now, action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (is_ours && (next.sigaction(SIGURG, NULL, &now) != 0 || now.sa_sigaction != handler)) {
        is_theirs = true; /* the program has set a handler with a system call, which is not wrapped */
        is_ours = false;
        end_samples();
    }
    if (is_ours || is_theirs)
        return is_ours;
    /* without SA_ONSTACK, because an alternative stack may be small, or may have been freed */
    sigfillset(&action.sa_mask);
    if (!next.sigaction)
        find_next();
    if (!next.sigaction || next.sigaction(SIGURG, NULL, &found) != 0 || is_handler(found.sa_handler) ||
        next.sigaction(SIGURG, &action, &found) != 0)
        return false;
    if (is_handler(found.sa_handler)) { /* another thread has just set it */
        next.sigaction(SIGURG, &found, NULL);
        return false;
    }
    of_program = found;
    end_samples = end;
    is_ours = true;
    is_ours = next.sigaction(SIGURG, NULL, &now) == 0 && now.sa_sigaction == handler;
    return is_ours;
}

/*
 * Leaves the signal to the program. First ignores the signal, to discard a pending sample, which the program
 * must not receive.
 */
static void leave(void) {
    next.sigaction(SIGURG, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    is_theirs = true;
    is_ours = false;
    end_samples();
}

static int set_whole(int number, const struct sigaction *action, struct sigaction *before) {
    if (!next.sigaction)
        find_next();
    if (!next.sigaction) {
        errno = ENOSYS;
        return -1;
    }
    if (number != SIGURG || !is_ours)
        return next.sigaction(number, action, before);
    struct sigaction earlier = of_program;
    int result = 0;
    if (action && is_handler(action->sa_handler)) {
        leave();
        result = next.sigaction(number, action, NULL);
    } else if (action) {
        of_program = *action;
    }
    if (before)
        *before = earlier;
    return result;
}

AA_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    return set_whole(number, action, before);
}

AA_EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *before);
AA_EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    return set_whole(number, action, before);
}

/* These functions of the C library change an action without calling the functions above. */
AA_EXPORT int siginterrupt(int number, int interrupts) {
    static int (*change)(int, int);
    if (number != SIGURG || !is_ours) {
        if (!change)
            change = (int (*)(int, int))dlsym(RTLD_NEXT, "siginterrupt");
        return change(number, interrupts);
    }
    of_program.sa_flags = interrupts ? of_program.sa_flags & ~SA_RESTART : of_program.sa_flags | SA_RESTART;
    return 0;
}

AA_EXPORT int sigignore(int number) {
    return set_whole(number, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
}

static sighandler_t set(int number, sighandler_t handler, set_handler *function) {
    if (!function) {
        errno = ENOSYS;
        return SIG_ERR;
    }
    if (number != SIGURG || !is_ours)
        return function(number, handler);
    sighandler_t earlier = of_program.sa_handler;
    if (!is_handler(handler)) {
        of_program = (struct sigaction){.sa_handler = handler};
        return earlier;
    }
    leave();
    return function(number, handler) == SIG_ERR ? SIG_ERR : earlier;
}

#define SET_HANDLER(name)                                                                                    \
    AA_EXPORT sighandler_t name(int number, sighandler_t handler);                                           \
    AA_EXPORT sighandler_t name(int number, sighandler_t handler) {                                          \
        if (!next.name)                                                                                      \
            find_next();                                                                                     \
        return set(number, handler, next.name);                                                              \
    }
SET_HANDLER(signal)
SET_HANDLER(bsd_signal)
SET_HANDLER(ssignal)
SET_HANDLER(sysv_signal)
SET_HANDLER(__sysv_signal)
SET_HANDLER(sigset)
