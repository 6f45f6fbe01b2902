/*
 * Execute the arguments, which are words of a small language, one after another. In each region, errno must keep its
 * value.
 *
 *   +NAME  -NAME      enter, leave the region NAME; NAME@2 has NAME's text at another address
 *   ~NAME             leave it as Fortran does, which does not know whether the entry was only counted
 *   <a  >a            enter, leave the region a by the stub for Fortran programs; <b, <c: other regions whose texts are
 *                     in the program itself; <B: b at another address
 *   +|TEXT            enter a region whose descriptor is TEXT; NULL: the descriptor is a null pointer
 *   =NAME             a jump has landed in the region NAME; =<a: in a
 *   site              enter and leave a region as C does, at a site with the number of entries that only count
 *   *N WORD           execute WORD N times
 *   times N WORDS ;   execute the words N times
 *   thread N WORDS ;  execute the words in N threads, one after another; parallel N WORDS ;: at the same time
 *   meet              in parallel threads: wait until all have arrived, however late they start
 *   team N WORDS ;    execute the words in a team of N threads, of which this one is the first (only with -DLINKED)
 *   first WORD N      in a team: the first thread alone executes WORD N; others N: it waits until N other
 *                     threads are done
 *   task              a task is made; execute WORDS ;: it executes the words (only with -DLINKED)
 *   fork WORDS ;      execute the words in a child process; _Fork WORDS ;: in one for which no fork handler is called
 *   exec              execute the rest in a new image of the process
 *   new N             enter and leave N regions that were never entered before
 *   crowd N TIMES     enter and leave each of N regions TIMES times
 *   plug{  }plug      load the library $PLUG, and enter a region in it; unload it; plug: both, but leave the region
 *   plugs N           load the libraries $PLUG.0, $PLUG.1, ..., N in all; swaps N: unload each before the next is loaded
 *   spin N  sleep N   compute, sleep for N milliseconds; poll N: make system calls meanwhile. With a fake clock
 *                     (fake_clock.c), the milliseconds are the clock's; take N: a hypervisor takes the core meanwhile
 *   ticks N           compute until the kernel has checked this thread's timers N times, however busy the machine is
 *   touch N           write to each page of N new MiB
 *   spent             print how long spin, sleep, poll and ticks took since this was last printed, by the threads' own CPU clocks
 *   deny perf         from now on, the system call perf_event_open fails; deny nap: nanosleep; deny open: openat; deny timer: timer_create
 *   mpi{ }mpi io{ }io statement{ }statement mpi N  io N  initialised finalising finalised aborting: call the functions
 *                     that wrappers call
 *   ranks N           there are N ranks; to R N: a message of N bytes goes to rank R
 *   chains            from now on, the critical path is recorded; pass: this thread's chain is sent to the next thread
 *                     that passes one, and continues after the last one's; gather: the only rank begins a collective;
 *                     all: the collective ends; held WORDS ;: meanwhile another thread has the lock of the chains
 *   wait{ N  }wait    a thread of OpenMP waits at the barrier N, in the library $PLUG if N is 0; ask N: it requests the
 *                     lock at this place; give N: it releases the lock (only with -DLINKED)
 *   alarms  calm      from now on, a signal handler enters a region every 50 microseconds; it stops
 *   surprises         like alarms, but each time a region that was never entered before
 *   urgent            print which handler SIGURG had until now, default or own, and how often it ran; install ours
 *   caught            print which handler SIGURG has for the kernel: default or other
 *   bsd               install ours by bsd_signal; __sigaction: by this function
 *   block  unblock    block SIGURG; unblock it
 *   stack             the alternative stack of signal handlers becomes inaccessible
 *   unlink            empty the shards' folder; rename A: the file A becomes $AUTOANALYZER_POLICY
 *   closeall chdir exit _exit kill hang
 *
 * With -DLINKED, the library's sources are part of the program; otherwise, the library is preloaded.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AA_NAME(name) name##_
#include "../../../instrument/fortran_stub.c"

#include "messages.h"
#include "openmp_waits.h"
#include "path.h"
#include "probe.h"
#include "turn.h"
#include "thread.h"

#define REGIONS 64
#define CROWD 1024
#define SURPRISES 100000

struct words {
    char **at, **end;
};

static void (*probe_enter)(const char *), (*probe_exit)(const char *), (*probe_resync)(const char *);
static void (*probe_exit_or_pass)(const char *);
static const char *(*probe_enter_counted)(const char *, int64_t *);
void fake_clock_pass(uint64_t nanoseconds) __attribute__((weak));
void fake_clock_take(uint64_t nanoseconds) __attribute__((weak));
static void (*pass)(uint64_t nanoseconds); /* null unless the clock is fake */
static void (*take)(uint64_t nanoseconds); /* null unless the clock is fake */
static char **arguments;

static _Thread_local int is_first;

static void perform(struct words words);

/* ---- regions */

static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static const char *descriptor(const char *name) {
    static struct { char *name, *text; } known[REGIONS];
    if (strcmp(name, "NULL") == 0)
        return NULL;
    int i = 0;
    pthread_mutex_lock(&naming);
    while (known[i].name && strcmp(known[i].name, name) != 0)
        i++;
    if (!known[i].name) {
        int length = (int)strcspn(name, "@");
        if (*name == '|')
            known[i].text = strdup(name + 1);
        else if (asprintf(&known[i].text, "aa1|function|%.*s|x.c|%.*s|0|1|2", length, name, length, name) < 0)
            exit(3);
        known[i].name = strdup(name);
    }
    pthread_mutex_unlock(&naming);
    return known[i].text;
}

static const char *in_program(char name) {
    static const char a[] = "aa1|function|a|x.f|a|0|1|2", b[] = "aa1|function|b|x.f|b|0|1|2",
                      other[] = "aa1|function|b|x.f|b|0|1|2", c[] = "aa1|function|c|x.f|c|0|1|2";
    return name == 'a' ? a : name == 'b' ? b : name == 'B' ? other : c;
}

static void at_region(void (*probe)(const char *), const char *text) {
    errno = EAGAIN;
    probe(text);
    if (errno != EAGAIN) {
        fprintf(stderr, "errno became %d\n", errno);
        exit(6);
    }
}

static void enter_new(int number) {
    static int next;
    for (int i = 0; i < number; i++) {
        int turn = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
        char *text;
        if (asprintf(&text, "aa1|function|new_%d|x.c|new_%d|0|1|2", turn, turn) < 0)
            exit(3);
        probe_enter(text);
        probe_exit(text);
    }
}

static char texts[CROWD][48]; /* written before threads start, because all threads read them */

__attribute__((constructor)) static void write_texts(void) {
    for (int i = 0; i < CROWD; i++)
        snprintf(texts[i], sizeof texts[i], "aa1|user|r%d|f|g|%d|1|1", i, i);
}

static void crowd(int number, int times) {
    for (int i = 0; i < number; i++) {
        for (int time = 0; time < times; time++) {
            at_region(probe_enter, texts[i]);
            at_region(probe_exit, texts[i]);
        }
    }
}

/* ---- libraries that are loaded and unloaded */

static void *plug;

static void *load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    return library;
}

static void enter_and_leave_plug(void) {
    void *library = load(getenv("PLUG"));
    const char *text = dlsym(library, "descriptor");
    probe_enter(text);
    probe_exit(text);
    dlclose(library);
}

static void load_many(int number, int unloads) {
    for (int i = 0; i < number; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s.%d", getenv("PLUG"), i);
        void *library = load(path);
        if (unloads)
            dlclose(library);
    }
}

static int perform_plug(const char *word) {
    if (strcmp(word, "plug{") == 0)
        plug = load(getenv("PLUG")), probe_enter(dlsym(plug, "descriptor"));
    else if (strcmp(word, "}plug") == 0)
        dlclose(plug);
    else if (strcmp(word, "plug") == 0)
        enter_and_leave_plug();
    else
        return 0;
    return 1;
}

/* ---- signals */

static char surprises[SURPRISES][56];

static void on_surprise(int unused) {
    static int turn;
    const char *region = surprises[turn++ % SURPRISES];
    (void)unused;
    probe_enter(region);
    probe_exit(region);
}

static void on_alarm(int unused) {
    static int turn;
    static const char *const regions[] = {"aa1|function|handler_0|x.c|handler_0|0|1|2",
                                          "aa1|function|handler_1|x.c|handler_1|0|1|2"};
    const char *region = regions[turn++ % 2];
    (void)unused;
    probe_enter(region);
    probe_exit(region);
}

static void set_alarms(void (*handler)(int), int microseconds) {
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    for (int i = 0; handler == on_surprise && i < SURPRISES; i++)
        snprintf(surprises[i], sizeof surprises[i], "aa1|user|surprise_%d|f|g|%d|1|1", i, i);
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &every, NULL);
}

/* ---- time */

static long long cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int urgent;

static void on_urgent(int number) {
    (void)number;
    urgent++;
}

static void handle_urgent(void) {
    struct sigaction before, action = {.sa_handler = on_urgent};
    sigaction(SIGURG, &action, &before);
    fprintf(stderr, "%s %d\n", before.sa_handler == on_urgent ? "own" : before.sa_handler == SIG_DFL ? "default" : "other", urgent);
}

/* Asks the kernel, because a wrapper of sigaction may report something else. */
static void tell_caught(void) {
    void *action[4] = {NULL}; /* begins with the handler */
    syscall(SYS_rt_sigaction, SIGURG, NULL, action, 8);
    fprintf(stderr, "%s\n", action[0] ? "other" : "default");
}

static void handle_otherwise(int is_bsd) {
    extern sighandler_t bsd_signal(int, sighandler_t);
    extern int __sigaction(int, const struct sigaction *, struct sigaction *);
    struct sigaction action = {.sa_handler = on_urgent};
    if (is_bsd)
        bsd_signal(SIGURG, on_urgent);
    else
        __sigaction(SIGURG, &action, NULL);
}

static void lose_stack(void) {
    stack_t stack = {.ss_size = 1 << 16};
    stack.ss_sp = mmap(NULL, stack.ss_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&stack, NULL);
}

static void block_urgent(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGURG);
    pthread_sigmask(how, &signals, NULL);
}

static long long spent;

static void spin(int milliseconds) {
    long long end = cpu_time() + milliseconds * 1000000LL;
    while (cpu_time() < end)
        continue;
}

static _Thread_local volatile sig_atomic_t ticks_seen;

static void see_tick(int number) {
    (void)number;
    ticks_seen++;
}

/* Timers of this thread's CPU time of 2 ms, twice the period of samples: when one expires, a sample is due, too. */
static void spin_for_ticks(int number) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    signal(SIGRTMIN, see_tick);
    for (int seen = 0; seen < number; seen++) {
        timer_t timer;
        struct itimerspec times = {{0, 0}, {0, 2000000}};
        timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
        ticks_seen = 0;
        timer_settime(timer, 0, &times, NULL);
        while (!ticks_seen)
            continue;
        timer_delete(timer);
    }
}

static void nap(int milliseconds) {
    usleep((useconds_t)milliseconds * 1000);
}

static long long wall_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void poll_clock(int milliseconds) {
    long long end = wall_time() + milliseconds * 1000000LL;
    while (wall_time() < end)
        poll(NULL, 0, 0);
}

static void spend(void (*how)(int), int milliseconds) {
    if (pass) {
        pass(milliseconds * UINT64_C(1000000));
        if (how != nap) /* a nap is also a real one, so that the kernel knows that the thread sleeps */
            return;
    }
    long long start = cpu_time();
    how(milliseconds);
    __atomic_fetch_add(&spent, cpu_time() - start, __ATOMIC_RELAXED);
}

/* ---- system calls that the kernel refuses */

static void deny(const char *what) {
    unsigned refused = *what == 'o'   ? SYS_openat
                       : *what == 'p' ? SYS_perf_event_open
                       : *what == 't' ? SYS_timer_create
                                      : SYS_nanosleep;
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        exit(3);
}

/* ---- control */

/* Returns the words up to the matching semicolon, and removes them from the words that follow. */
static struct words block(struct words *words) {
    struct words inner = {words->at, words->at};
    for (int depth = 1; depth; words->at++) {
        const char *word = *words->at;
        depth += strcmp(word, "times") == 0 || strcmp(word, "thread") == 0 || strcmp(word, "parallel") == 0 ||
                 strcmp(word, "fork") == 0 || strcmp(word, "_Fork") == 0 || strcmp(word, "team") == 0 ||
                 strcmp(word, "execute") == 0 || strcmp(word, "held") == 0;
        depth -= strcmp(word, ";") == 0;
        inner.end = words->at;
    }
    return inner;
}

static pthread_barrier_t meeting;

static void *thread_main(void *words) {
    perform(*(struct words *)words);
    return NULL;
}

static void in_threads(int number, struct words words, int at_once) {
    pthread_t threads[REGIONS];
    if (at_once)
        pthread_barrier_init(&meeting, NULL, (unsigned)number);
    for (int i = 0; i < number; i++) {
        pthread_create(&threads[i % REGIONS], NULL, thread_main, &words);
        if (!at_once)
            pthread_join(threads[i % REGIONS], NULL);
    }
    for (int i = 0; at_once && i < number; i++)
        pthread_join(threads[i], NULL);
}

#if defined(LINKED)
struct member {
    struct aa_team *team;
    struct words words;
    uint32_t number;
    pthread_barrier_t *done;
};

static int done_so_far;

static void wait_for_others(int number) {
    while (__atomic_load_n(&done_so_far, __ATOMIC_ACQUIRE) < number)
        sched_yield();
}

static void *take_part(void *given) {
    const struct member *member = given;
    is_first = member->number == 0;
    struct aa_turn turn = aa_turn_begin(member->team->origin, member->team, member->number);
    perform(member->words);
    aa_turn_end(turn);
    __atomic_fetch_add(&done_so_far, 1, __ATOMIC_RELEASE);
    pthread_barrier_wait(member->done);
    return NULL;
}

/* As in OpenMP, threads that were in the team may end, or execute something else, while the team is closed. */
static void in_team(int number, struct words words) {
    pthread_t threads[REGIONS];
    struct member members[REGIONS];
    struct aa_thread *room[REGIONS];
    struct aa_team team;
    pthread_barrier_t done;
    __atomic_store_n(&done_so_far, 0, __ATOMIC_RELAXED);
    pthread_barrier_init(&done, NULL, (unsigned)number);
    aa_team_open(&team, room, (uint32_t)number);
    for (int i = 0; i < number; i++)
        members[i] = (struct member){&team, words, (uint32_t)i, &done};
    for (int i = 1; i < number; i++)
        pthread_create(&threads[i], NULL, take_part, &members[i]);
    take_part(&members[0]);
    aa_team_close(&team);
    for (int i = 1; i < number; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&done);
}

static struct aa_origin task;

static void in_task(struct words words) {
    struct aa_turn turn = aa_turn_begin(task, NULL, AA_ANY_TREE);
    perform(words);
    aa_turn_end(turn);
}

static pthread_barrier_t holding;

static void *hold_lock(void *unused) {
    struct aa_section section = aa_path_turn_begin();
    pthread_barrier_wait(&holding);
    pthread_barrier_wait(&holding);
    aa_path_turn_end(section);
    return unused;
}

static void while_held(struct words words) {
    pthread_t holder;
    pthread_barrier_init(&holding, NULL, 2);
    pthread_create(&holder, NULL, hold_lock, NULL);
    pthread_barrier_wait(&holding);
    perform(words);
    pthread_barrier_wait(&holding);
    pthread_join(holder, NULL);
    pthread_barrier_destroy(&holding);
}
#else
static void wait_for_others(int number) {
    (void)number;
}

static void in_team(int number, struct words words) {
    (void)number, (void)words;
}

static void in_task(struct words words) {
    (void)words;
}

static void while_held(struct words words) {
    (void)words;
}
#endif

static void in_child(pid_t (*make)(void), struct words words) {
    pthread_mutex_lock(&naming);
    pid_t child = make();
    pthread_mutex_unlock(&naming);
    if (child == 0) {
        perform(words);
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status)
        exit(4);
}

static void execute(struct words rest) {
    rest.at--;
    *rest.at = arguments[0];
    *rest.end = NULL;
    execv("/proc/self/exe", rest.at);
}

/* ---- words */

#if defined(LINKED)
static uint32_t mpi_share = AA_MPI_OTHER;

static pthread_mutex_t passing = PTHREAD_MUTEX_INITIALIZER, gathering = PTHREAD_MUTEX_INITIALIZER;

static void follow_chains(void) {
    aa_shard()->path_state = AA_PATH_KNOWN;
    aa_shard()->rank = 0;
}

static void pass_chain(void) {
    static struct aa_path sent;
    struct aa_path mine, received;
    aa_path_here(&mine);
    pthread_mutex_lock(&passing);
    received = sent;
    sent = mine;
    pthread_mutex_unlock(&passing);
    aa_path_join_sender(&received, AA_PATH_NO_SENDER);
}

static struct aa_path gathered;

static void gather_chains(void) {
    pthread_mutex_lock(&gathering);
    aa_path_gather_threads();
    aa_path_here(&gathered);
}

static void meet_all(void) {
    aa_path_meet(&gathered, true);
    pthread_mutex_unlock(&gathering);
}

static struct aa_waiting waiting[8], *waits = waiting;

static int perform_wait(const char *word, struct words *words) {
    if (strcmp(word, "}wait") == 0) {
        aa_team_barrier_end(*--waits, false);
        return 1;
    }
    bool begins = strcmp(word, "wait{") == 0, asks = strcmp(word, "ask") == 0;
    if (!begins && !asks && strcmp(word, "give") != 0)
        return 0;
    intptr_t number = atoi(*words->at++);
    const void *place = number ? (void *)number : dlsym(plug, "descriptor");
    if (begins)
        *waits++ = aa_team_barrier_begin(aa_wait_enter(AA_WAIT_BARRIER, place));
    else if (asks)
        aa_lock_asked(aa_wait_enter(AA_WAIT_LOCK, place), place);
    else
        aa_lock_given_back(place);
    return 1;
}

static int perform_call(const char *word, struct words *words) {
    if (perform_wait(word, words))
        return 1;
    if (strcmp(word, "mpi{") == 0)
        aa_share_begin(mpi_share | AA_IN_MPI);
    else if (strcmp(word, "kind") == 0)
        mpi_share = AA_MPI + (uint32_t)atoi(*words->at), words->at++;
    else if (strcmp(word, "}mpi") == 0)
        aa_share_end(true);
    else if (strcmp(word, "io{") == 0)
        aa_share_begin(AA_IO);
    else if (strcmp(word, "}io") == 0)
        aa_share_end(false);
    else if (strcmp(word, "statement{") == 0)
        aa_statement_begin();
    else if (strcmp(word, "}statement") == 0)
        aa_statement_end();
    else if (strcmp(word, "task") == 0)
        task = aa_task_origin();
    else if (strcmp(word, "mpi") == 0)
        aa_count_mpi(1, (uint64_t)atoi(*words->at), 2 * (uint64_t)atoi(*words->at)), words->at++;
    else if (strcmp(word, "io") == 0)
        aa_count_io(1, (uint64_t)atoi(*words->at), 2 * (uint64_t)atoi(*words->at)), words->at++;
    else if (strcmp(word, "ranks") == 0)
        aa_messages_begin(atoi(*words->at++), true);
    else if (strcmp(word, "to") == 0)
        aa_messages_sent(atoi(words->at[0]), (uint64_t)atoi(words->at[1])), words->at += 2;
    else if (strcmp(word, "initialised") == 0)
        aa_process_mpi_initialised(3, 4, false), aa_process_thread_level(2);
    else if (strcmp(word, "finalising") == 0)
        aa_process_mpi_finalising();
    else if (strcmp(word, "finalised") == 0)
        aa_process_mpi_finalised();
    else if (strcmp(word, "aborting") == 0)
        aa_process_aborting(5);
    else if (strcmp(word, "chains") == 0)
        follow_chains();
    else if (strcmp(word, "pass") == 0)
        pass_chain();
    else if (strcmp(word, "gather") == 0)
        gather_chains();
    else if (strcmp(word, "all") == 0)
        meet_all();
    else
        return 0;
    return 1;
}
#else
static int perform_call(const char *word, struct words *words) {
    (void)word, (void)words;
    return 0;
}
#endif

static void empty_folder(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
}

static int perform_end(const char *word) {
    if (strcmp(word, "spent") == 0)
        fprintf(stderr, "%lld\n", __atomic_exchange_n(&spent, 0, __ATOMIC_RELAXED));
    else if (strcmp(word, "unlink") == 0)
        empty_folder(getenv("AUTOANALYZER_SHARDS"));
    else if (strcmp(word, "meet") == 0)
        pthread_barrier_wait(&meeting);
    else if (strcmp(word, "closeall") == 0)
        closefrom(3);
    else if (strcmp(word, "chdir") == 0)
        return chdir("/") == 0;
    else if (strcmp(word, "exit") == 0)
        exit(0);
    else if (strcmp(word, "_exit") == 0)
        _exit(0);
    else if (strcmp(word, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(word, "hang") == 0) {
        puts("hanging");
        fflush(stdout);
        for (;;)
            pause();
    } else
        return 0;
    return 1;
}

static int perform_block(const char *word, struct words *words) {
    int is_times = strcmp(word, "times") == 0, at_once = strcmp(word, "parallel") == 0;
    int is_fork = strcmp(word, "fork") == 0;
    if (is_fork || strcmp(word, "_Fork") == 0) {
        in_child(is_fork ? fork : _Fork, block(words));
        return 1;
    }
    int is_held = strcmp(word, "held") == 0;
    if (is_held || strcmp(word, "execute") == 0) {
        (is_held ? while_held : in_task)(block(words));
        return 1;
    }
    int is_team = strcmp(word, "team") == 0;
    if (!is_times && !at_once && !is_team && strcmp(word, "thread") != 0)
        return 0;
    int number = atoi(*words->at++);
    struct words inner = block(words);
    if (is_team)
        in_team(number, inner);
    else if (!is_times)
        in_threads(number, inner, at_once);
    for (int i = 0; is_times && i < number; i++)
        perform(inner);
    return 1;
}

static void touch(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += 4096)
        ((volatile char *)memory)[at] = 1;
    munmap(memory, bytes);
}

static int perform_number(const char *word, struct words *words) {
    int number = words->at < words->end ? atoi(*words->at) : 0;
    if (strcmp(word, "first") == 0) {
        words->at += is_first ? 0 : 2;
        return 1;
    }
    if (strcmp(word, "others") == 0)
        wait_for_others(number);
    else if (strcmp(word, "rename") == 0)
        rename(*words->at, getenv("AUTOANALYZER_POLICY"));
    else if (strcmp(word, "new") == 0)
        enter_new(number);
    else if (strcmp(word, "plugs") == 0 || strcmp(word, "swaps") == 0)
        load_many(number, *word == 's');
    else if (strcmp(word, "crowd") == 0)
        crowd(number, atoi(*++words->at));
    else if (strcmp(word, "spin") == 0)
        spend(spin, number);
    else if (strcmp(word, "ticks") == 0)
        spend(spin_for_ticks, number);
    else if (strcmp(word, "sleep") == 0)
        spend(nap, number);
    else if (strcmp(word, "poll") == 0)
        spend(poll_clock, number);
    else if (strcmp(word, "take") == 0)
        take((uint64_t)number * 1000000);
    else if (strcmp(word, "touch") == 0)
        touch((size_t)number << 20);
    else
        return 0;
    words->at++;
    return 1;
}

static void visit_at_site(void) {
    static int64_t site;
    const char *entered =
        --site < 0 ? probe_enter_counted("aa1|function|site|x.c|site|0|1|2", &site) : NULL;
    if (entered)
        probe_exit(entered);
}

static void perform_word(struct words *words) {
    const char *word = *words->at++;
    if (*word == '+')
        at_region(probe_enter, descriptor(word + 1));
    else if (*word == '-')
        at_region(probe_exit, descriptor(word + 1));
    else if (*word == '~')
        at_region(probe_exit_or_pass, descriptor(word + 1));
    else if (*word == '<')
        at_region(aa_enter_, in_program(word[1]));
    else if (*word == '>')
        at_region(aa_exit_, in_program(word[1]));
    else if (*word == '=')
        at_region(probe_resync, word[1] == '<' ? in_program(word[2]) : descriptor(word + 1));
    else if (*word == '*') {
        char **repeated = words->at++;
        for (int i = atoi(word + 1); i; i--)
            perform((struct words){repeated, repeated + 1});
    } else if (strcmp(word, "site") == 0)
        visit_at_site();
    else if (strcmp(word, "urgent") == 0)
        handle_urgent();
    else if (strcmp(word, "caught") == 0)
        tell_caught();
    else if (strcmp(word, "bsd") == 0 || strcmp(word, "__sigaction") == 0)
        handle_otherwise(*word == 'b');
    else if (strcmp(word, "block") == 0 || strcmp(word, "unblock") == 0)
        block_urgent(*word == 'b' ? SIG_BLOCK : SIG_UNBLOCK);
    else if (strcmp(word, "stack") == 0)
        lose_stack();
    else if (strcmp(word, "exec") == 0)
        execute(*words);
    else if (strcmp(word, "alarms") == 0 || strcmp(word, "calm") == 0)
        set_alarms(on_alarm, *word == 'a' ? 50 : 0);
    else if (strcmp(word, "surprises") == 0)
        set_alarms(on_surprise, 50);
    else if (strcmp(word, "deny") == 0)
        deny(*words->at++);
    else if (!perform_number(word, words) && !perform_block(word, words) && !perform_call(word, words) &&
             !perform_plug(word) && !perform_end(word)) {
        fprintf(stderr, "unknown word: %s\n", word);
        exit(2);
    }
}

static void perform(struct words words) {
    while (words.at < words.end)
        perform_word(&words);
}

int main(int count, char **argv) {
    arguments = argv;
#if defined(LINKED)
    probe_enter = (void (*)(const char *))(void *)aa_probe_enter;
    probe_exit = aa_probe_exit;
    probe_exit_or_pass = aa_probe_exit_or_pass;
    probe_enter_counted = aa_probe_enter_counted;
    probe_resync = aa_probe_resync;
    aa_fortran_enter = aa_probe_enter_in_slot;
    aa_fortran_exit = aa_probe_exit_or_pass;
    aa_fortran_main = (const struct aa_main *)&aa_probe_main;
    pass = fake_clock_pass;
    take = fake_clock_take;
#else
    probe_enter = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_enter");
    probe_exit = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_exit");
    probe_exit_or_pass = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_exit_or_pass");
    probe_enter_counted =
        (const char *(*)(const char *, int64_t *))dlsym(RTLD_DEFAULT, "aa_probe_enter_counted");
    probe_resync = (void (*)(const char *))dlsym(RTLD_DEFAULT, "aa_probe_resync");
    pass = (void (*)(uint64_t))dlsym(RTLD_DEFAULT, "fake_clock_pass");
    take = (void (*)(uint64_t))dlsym(RTLD_DEFAULT, "fake_clock_take");
    if (!probe_enter || !probe_exit || !probe_exit_or_pass || !probe_enter_counted || !probe_resync)
        return 5;
#endif
    perform((struct words){argv + 1, argv + count});
    return 0;
}
