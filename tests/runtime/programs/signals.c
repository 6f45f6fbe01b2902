/*
 * Print what signals do to a program, one line per observation, to compare a run with samples with one without. Each
 * argument is a case. While a case spins, samples are due. A program that sees SIGURG reports that.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;
static volatile double sum;
static volatile sig_atomic_t caught;

static long long cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void spin(int milliseconds) {
    long long end = cpu_time() + milliseconds * 1000000LL;
    do {
        for (int i = 0; i < 1000; i++)
            sum += i;
    } while (cpu_time() < end);
}

static void show(const char *what, const sigset_t *set) {
    printf("%s:", what);
    for (int number = 1; number < 32; number++)
        if (sigismember(set, number) == 1)
            printf(" %d", number);
    puts("");
}

static void show_masks(const char *when) {
    sigset_t set;
    printf("%s ", when);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    show("blocked", &set);
    sigpending(&set);
    show("pending", &set);
}

static sigset_t all(void) {
    sigset_t set;
    sigfillset(&set);
    return set;
}

static void count(int number) {
    (void)number;
    caught++;
}

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void said(const char *what, int result) {
    printf("%s: %d %s\n", what, result, result < 0 ? strerror(errno) : "");
}

/* ---- calls that wait for signals, or unblock them meanwhile */

static void masks(void) {
    sigset_t set = all(), before, none;
    siginfo_t info;
    struct timespec at_once = {0, 0};
    sigemptyset(&none);
    for (int round = 0; round < 3; round++) {
        spin(20);
        pthread_sigmask(SIG_BLOCK, &set, &before);
        show("before", &before);
        spin(30);
        show_masks("all");
        said("wait", sigtimedwait(&set, &info, &at_once));
        kill(getpid(), SIGUSR1);
        said("wait", sigwaitinfo(&set, &info));
        sigprocmask(SIG_SETMASK, &before, &none);
        show("were", &none);
        spin(20);
        show_masks("none");
    }
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    spin(30);
    raise(SIGURG);
    show_masks("own");
    said("wait", sigwaitinfo(&set, &info));
    printf("from %d\n", info.si_code == SI_TKILL);
    sighold(SIGURG), spin(20), show_masks("held"), sigrelse(SIGURG);
    said("how", sigprocmask(77, &set, NULL));
}

static void *wait_for_signals(void *nothing) {
    sigset_t set = all();
    for (int number = 0; number != SIGTERM;) {
        spin(30);
        said("sigwait", sigwait(&set, &number));
        printf("got %d\n", number);
    }
    return nothing;
}

static void waiter(void) {
    sigset_t set = all();
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    pthread_create(&thread, NULL, wait_for_signals, NULL);
    for (int number = 0; number < 3; number++) {
        pthread_kill(thread, number < 2 ? SIGUSR1 + 2 * number : SIGTERM);
        spin(50);
        usleep(50000);
    }
    pthread_join(thread, NULL);
    show_masks("end");
}

static void descriptor(void) {
    sigset_t set = all();
    struct signalfd_siginfo info;
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    int file = signalfd(-1, &set, SFD_NONBLOCK);
    spin(40);
    said("read", (int)read(file, &info, sizeof info));
    kill(getpid(), SIGUSR2);
    said("read", (int)read(file, &info, sizeof info));
    printf("got %d\n", (int)info.ssi_signo);
    said("read", (int)read(file, &info, sizeof info));
}

static void let_in(void) {
    sigset_t set = all(), none;
    struct timespec little = {0, 5000000};
    int poller = epoll_create1(0);
    struct epoll_event event;
    sigemptyset(&none);
    for (int round = 0; round < 20; round++) {
        pthread_sigmask(SIG_SETMASK, round % 2 ? &set : &none, NULL);
        spin(6);
        said("ppoll", ppoll(NULL, 0, &little, &none));
        spin(6);
        said("pselect", pselect(0, NULL, NULL, NULL, &little, &none));
        spin(6);
        said("epoll_pwait", epoll_pwait(poller, &event, 1, 5, &none));
        spin(6);
        said("poll", poll(NULL, 0, 5));
        said("nanosleep", nanosleep(&little, NULL));
    }
    handle(SIGALRM, count, 0);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    spin(20);
    alarm(1);
    said("sigsuspend", sigsuspend(&none));
    printf("alarms %d\n", (int)caught);
}

static void *spin_long(void *nothing) {
    spin(120);
    return nothing;
}

/* Like a program that starts many helpers at its beginning. */
static void often(void) {
    sigset_t all, before;
    sigfillset(&all);
    for (int i = 0; i < 1500; i++) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    spin(30);
}

static void blocking(void) {
    int ends[2];
    char byte[4];
    sem_t semaphore;
    pthread_t threads[2];
    sem_init(&semaphore, 0, 0);
    if (pipe(ends))
        exit(3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, spin_long, NULL);
    for (int round = 0; round < 5; round++) {
        struct timespec until;
        spin(10);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 5000000;
        until.tv_sec += until.tv_nsec / 1000000000, until.tv_nsec %= 1000000000;
        said("sem", sem_timedwait(&semaphore, &until));
        said("usleep", usleep(3000));
        if (fork() == 0) {
            usleep(20000);
            _exit(write(ends[1], "abcd", 4) != 4);
        }
        said("read", (int)read(ends[0], byte, 4));
        said("wait", wait(NULL) > 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

/* ---- jumps and contexts */

static sigjmp_buf place;

static void jump_out(int number) {
    (void)number;
    spin(20);
    siglongjmp(place, 1);
}

static void jumps(void) {
    sigset_t set = all();
    for (volatile int round = 0; round < 3; round++) {
        pthread_sigmask(round == 1 ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
        if (sigsetjmp(place, 1) == 0) {
            pthread_sigmask(round == 1 ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
            spin(20);
            siglongjmp(place, 1);
        }
        spin(20);
        show_masks("jumped");
    }
    handle(SIGUSR1, jump_out, 0);
    if (sigsetjmp(place, 1) == 0)
        raise(SIGUSR1);
    spin(20);
    show_masks("from handler");
}

static ucontext_t first, second;

static void in_context(void) {
    for (int i = 0; i < 3; i++) {
        spin(20);
        show_masks("context");
        swapcontext(&second, &first);
    }
}

static void contexts(void) {
    size_t size = 8 << 10;
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&second);
    second.uc_stack.ss_sp = stack, second.uc_stack.ss_size = size;
    second.uc_link = &first;
    sigfillset(&second.uc_sigmask);
    makecontext(&second, in_context, 0);
    for (int i = 0; i < 3; i++) {
        swapcontext(&first, &second);
        spin(20);
        show_masks("outside");
    }
}

static void count_caught(int number) {
    (void)number;
    caught++;
}

/* A timer with twice the period of samples: when it has expired, a sample was due, too. */
static void in_own_context(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec every = {{0, 2000000}, {0, 2000000}};
    handle(SIGUSR1, count_caught, SA_RESTART);
    said("create", timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer));
    timer_settime(timer, 0, &every, NULL);
    while (caught < 5)
        spin(2);
    said("delete", timer_delete(timer));
}

/* Switches to another stack by the C library's own function, which stands for a program's own code. */
static void own_contexts(void) {
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    int (*swap)(ucontext_t *, const ucontext_t *) = libc ? dlsym(libc, "swapcontext") : swapcontext;
    static char stack[64 << 10]; /* far from the thread's own, wherever the system puts that */
    getcontext(&second);
    second.uc_stack.ss_sp = stack, second.uc_stack.ss_size = sizeof stack;
    second.uc_link = &first;
    makecontext(&second, in_own_context, 0);
    said("swap", swap(&first, &second));
    show_masks("back");
}

/* ---- handlers */

static void in_small_stack(int number) {
    volatile char used[512];
    memset((char *)used, number, sizeof used);
    spin(60);
    caught++;
}

static void stacks(void) {
    stack_t now, stack = {.ss_size = (size_t)16 << 10};
    stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    said("sigaltstack", sigaltstack(&stack, NULL));
    handle(SIGUSR1, in_small_stack, SA_ONSTACK);
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1);
    sigaltstack(NULL, &now);
    printf("caught %d of %zu\n", (int)caught, now.ss_size);
}

static void end_thread(int number) {
    (void)number;
    spin(20);
    pthread_exit(NULL);
}

static void *end_in_handler(void *nothing) {
    spin(20);
    raise(SIGUSR2);
    return nothing;
}

static void endings(void) {
    handle(SIGUSR2, end_thread, 0);
    for (int i = 0; i < 10; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, end_in_handler, NULL);
        said("join", pthread_join(thread, NULL));
    }
    show_masks("end");
}

static void nested(int number) {
    sigset_t set = all(), before;
    siginfo_t info;
    struct timespec at_once = {0, 0};
    spin(30);
    printf("in %d ", number);
    show_masks("handler");
    pthread_sigmask(SIG_BLOCK, &set, &before);
    spin(20);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigdelset(&set, SIGURG);
    said("wait", sigtimedwait(&set, &info, &at_once));
}

static void handlers(void) {
    handle(SIGUSR1, nested, 0);
    for (int i = 0; i < 3; i++) {
        raise(SIGUSR1);
        spin(20);
        show_masks("after");
    }
}

static void own(const char *how) {
    struct sigaction before, action = {.sa_handler = count};
    spin(20);
    sigaction(SIGURG, NULL, &before);
    printf("default %d, flags %d\n", before.sa_handler == SIG_DFL, before.sa_flags);
    siginterrupt(SIGURG, 1), sigaction(SIGURG, NULL, &before), printf("default %d\n", before.sa_handler == SIG_DFL);
    sigignore(SIGURG), sigaction(SIGURG, NULL, &before), printf("ignored %d\n", before.sa_handler == SIG_IGN);
    raise(SIGURG);
    if (strcmp(how, "sigaction") == 0)
        sigaction(SIGURG, &action, &before), printf("ignored %d\n", before.sa_handler == SIG_IGN);
    else if (strcmp(how, "signal") == 0)
        printf("ignored %d\n", signal(SIGURG, count) == SIG_IGN);
    else
        printf("ignored %d\n", sigset(SIGURG, count) == SIG_IGN);
    spin(60);
    raise(SIGURG);
    printf("caught %d\n", (int)caught);
}

/* ---- timers of the program */

/* On a busy machine, the kernel checks a timer rarely, and sends one signal for several of its periods. */
static void count_periods(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    caught += 1 + info->si_overrun;
}

static void timers(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec every = {{0, 10000000}, {0, 10000000}}, left;
    struct sigaction action = {.sa_sigaction = count_periods, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    said("create", timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer));
    said("settime", timer_settime(timer, 0, &every, NULL));
    long long begin = cpu_time();
    for (int i = 0; i < 300 && caught <= 3; i++)
        spin(200);
    timer_gettime(timer, &left);
    int is_right = caught > 3 && caught <= (cpu_time() - begin) / 10000000 + 1;
    printf("some %d, every %ld\n", is_right, left.it_interval.tv_nsec);
    said("delete", timer_delete(timer));
}

/* ---- processes */

static void show_new_image(void) {
    char *const words[] = {"grep", "-E", "^Sig(Pnd|Blk|Ign)|^ShdPnd", "/proc/self/status", NULL};
    fflush(stdout);
    execvp("grep", words);
    _exit(3);
}

static void processes(void) {
    sigset_t set = all();
    char *const words[] = {"grep", "-E", "^Sig(Pnd|Blk|Ign)", "/proc/self/status", NULL};
    pid_t child;
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int round = 0; round < 2; round++) {
        pthread_sigmask(round ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
        spin(30);
        if (fork() == 0) {
            spin(20);
            show_masks("child");
            show_new_image();
        }
        said("wait", wait(NULL) > 0);
        if (vfork() == 0) {
            pthread_sigmask(round ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
            execvp("grep", words);
            _exit(3);
        }
        said("wait", wait(NULL) > 0);
        int error = posix_spawnp(&child, "grep", NULL, NULL, words, environ);
        said("wait", wait(NULL) == child);
        said("spawn", error);
        said("system", system("exit 3") >> 8);
        spin(30);
        show_masks("parent");
    }
    show_new_image();
}

int main(int count_of_words, char **words) {
    void (*enter)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter");
    if (enter)
        enter("aa1|function|main|x.c|main|0|1|2");
    static const struct { const char *name; void (*perform)(void); } cases[] = {
        {"masks", masks},       {"waiter", waiter},     {"descriptor", descriptor}, {"let_in", let_in},
        {"blocking", blocking}, {"jumps", jumps},       {"contexts", contexts},     {"stacks", stacks},
        {"endings", endings},   {"handlers", handlers}, {"timers", timers},         {"processes", processes},
        {"often", often},       {"own_contexts", own_contexts},
    };
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (count_of_words == 2 && strcmp(words[1], cases[i].name) == 0)
            cases[i].perform();
    if (count_of_words == 3)
        own(words[2]);
    return 0;
}
