/*
 * Tells a program how often the kernel has looked at its thread's timers: on a busy machine it does so rarely, and takes
 * samples only then. A timer of CPU time that is longer than the period of samples shows that one was due at a look.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_due = 1;

static void expire(int number) {
    (void)number;
    is_due = 1;
}

int looks(void) {
    static const struct itimerspec once = {{0, 0}, {0, 5000000}}; /* samples are due each 4 ms */
    static timer_t timer;
    static int count = -1;
    if (count < 0) {
        struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
        event._sigev_un._tid = (int)syscall(SYS_gettid);
        signal(SIGRTMIN, expire);
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
    }
    if (is_due) {
        is_due = 0;
        count++;
        timer_settime(timer, 0, &once, NULL);
    }
    return count;
}
