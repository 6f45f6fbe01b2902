/*
 * Wraps functions that change signal masks or the stacks of signal handlers. The program's masks stay
 * unchanged. While a thread blocks the signal of samples, it takes no samples. So no sample is pending when
 * the thread waits for signals, tests which signals are pending, or unblocks a signal while it waits for
 * something else.
 */
#define _GNU_SOURCE
#include "probe.h"
#include "sample.h"
#include "self.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__ /* the sanitizer calls some wrapped functions before instrumented code can run */
#define pthread_sigmask own_pthread_sigmask
#define sigprocmask own_sigprocmask
#define sigpending own_sigpending
#define sigaltstack own_sigaltstack
#define longjmp own_longjmp
#define _longjmp own__longjmp
#define siglongjmp own_siglongjmp
#define __longjmp_chk own___longjmp_chk
#define setcontext own_setcontext
#endif

typedef int set_mask(int, const sigset_t *, sigset_t *);
typedef int change_one(int);
typedef void jump(struct __jmp_buf_tag *, int);

static struct {
    set_mask *pthread_sigmask, *sigprocmask;
    change_one *sighold, *sigrelse, *sigblock, *sigsetmask;
    jump *longjmp, *_longjmp, *siglongjmp, *__longjmp_chk;
    int (*sigpending)(sigset_t *);
    int (*sigaltstack)(const stack_t *, stack_t *);
    int (*setcontext)(const ucontext_t *);
} next;

#define FIND(name) (next.name = (__typeof__(next.name))dlsym(RTLD_NEXT, #name))

/* Looks up the functions early, because a signal handler may call them, but must not look them up. */
static __attribute__((constructor)) void find_early(void) {
    FIND(pthread_sigmask);
    FIND(sigprocmask);
    FIND(sighold);
    FIND(sigrelse);
    FIND(sigblock);
    FIND(sigsetmask);
    FIND(longjmp);
    FIND(_longjmp);
    FIND(siglongjmp);
    FIND(__longjmp_chk);
    FIND(sigpending);
    FIND(sigaltstack);
    FIND(setcontext);
    dlerror(); /* otherwise dlerror would report our failures to the program */
}

/* Calls the function behind the wrapper; looks it up if another library's constructor runs before ours. */
#define NEXT(name)                                                                                           \
    ({                                                                                                       \
        if (!next.name)                                                                                      \
            FIND(name);                                                                                      \
        next.name;                                                                                           \
    })

static bool blocks_it(void) {
    uint64_t now = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, sizeof now);
    return now >> (SIGURG - 1) & 1;
}

/*
 * Called before the thread blocks the signal, and after it unblocks the signal. If the signal is blocked for
 * another reason, as in another signal's handler, these functions do nothing.
 */
static void before_blocking(void) {
    if (aa_sample_is_taken() && !blocks_it())
        aa_sample_pause();
}

static void after_letting_in(void) {
    if (aa_sample_is_taken() && !blocks_it())
        aa_sample_resume();
}

static int change(int how, const sigset_t *set, sigset_t *before, set_mask *function) {
    bool is_in = set && sigismember(set, SIGURG) == 1;
    if (!set || !aa_sample_is_taken() || (how != SIG_SETMASK && !is_in))
        return function(how, set, before);
    if (is_in && how != SIG_UNBLOCK)
        before_blocking();
    int result = function(how, set, before);
    if (result != 0 || !is_in || how == SIG_UNBLOCK)
        after_letting_in();
    return result;
}

AA_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    return change(how, set, before, NEXT(pthread_sigmask));
}

AA_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
    return change(how, set, before, NEXT(sigprocmask));
}

AA_EXPORT int sighold(int number) {
    if (number == SIGURG)
        before_blocking();
    return NEXT(sighold)(number);
}

AA_EXPORT int sigrelse(int number) {
    int result = NEXT(sigrelse)(number);
    if (number == SIGURG)
        after_letting_in();
    return result;
}

AA_EXPORT int sigblock(int mask) {
    if (mask & 1 << (SIGURG - 1))
        before_blocking();
    return NEXT(sigblock)(mask);
}

AA_EXPORT int sigsetmask(int mask) {
    if (mask & 1 << (SIGURG - 1))
        before_blocking();
    int before = NEXT(sigsetmask)(mask);
    if (!(mask & 1 << (SIGURG - 1)))
        after_letting_in();
    return before;
}

/*
 * Hides a pending sample from the program: a signal that arrived while another signal's handler blocked it.
 */
AA_EXPORT int sigpending(sigset_t *set) {
    int result = NEXT(sigpending)(set);
    if (result == 0 && aa_sample_has_signal() && aa_sample_goes_on())
        sigdelset(set, SIGURG);
    return result;
}

/* ---- jumps and contexts, which change the signal mask */

static void follow(const sigset_t *mask) {
    if (sigismember(mask, SIGURG) == 1)
        before_blocking();
    else if (aa_sample_is_taken())
        aa_sample_resume();
}

#define FOLLOW_JUMP(name)                                                                                    \
    AA_EXPORT void name(struct __jmp_buf_tag place[1], int value) {                                          \
        if (place->__mask_was_saved)                                                                         \
            follow(&place->__saved_mask);                                                                    \
        NEXT(name)(place, value);                                                                            \
        __builtin_unreachable();                                                                             \
    }
FOLLOW_JUMP(longjmp)
FOLLOW_JUMP(_longjmp)
FOLLOW_JUMP(siglongjmp)
AA_EXPORT void __longjmp_chk(struct __jmp_buf_tag place[1], int value) __attribute__((noreturn));
FOLLOW_JUMP(__longjmp_chk)

void aa_sample_enter_context(const ucontext_t *context) {
    if (!aa_sample_is_taken())
        return;
    if (context->uc_stack.ss_sp && context->uc_stack.ss_size)
        aa_sample_use_stack(context->uc_stack.ss_size);
    follow(&context->uc_sigmask);
}

AA_EXPORT int setcontext(const ucontext_t *context) {
    aa_sample_enter_context(context);
    return NEXT(setcontext)(context);
}

/* ---- stacks of signal handlers */

AA_EXPORT int sigaltstack(const stack_t *stack, stack_t *before) {
    if (stack && !(stack->ss_flags & SS_DISABLE))
        aa_sample_use_stack(stack->ss_size);
    return NEXT(sigaltstack)(stack, before);
}
