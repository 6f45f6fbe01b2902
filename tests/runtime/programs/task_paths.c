/*
 * Tasks of OpenMP, one for each path of three out of REGIONS regions: task_paths THREADS REGIONS. Each thread of the
 * team executes some, and continues the path on which a task was made; the first tasks end when each thread has one.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define LEVELS 3

typedef void probe(const char *descriptor);

static probe *enter, *leave;
static char (*names)[64];
static int regions, threads, maker, begun;
static _Thread_local int has_begun;
static const char in_task[] = "aa1|user|task|||0|0|0";

/* The thread that makes the tasks need not execute one. */
static void wait_for_all(void) {
    int ready;
    if (!has_begun && omp_get_thread_num() != maker) {
#pragma omp atomic
        begun++;
    }
    has_begun = 1;
    do {
        sched_yield();
#pragma omp atomic read
        ready = begun;
    } while (ready < threads - 1);
}

static void make(int level) {
    if (level == LEVELS) {
#pragma omp task
        {
            enter(in_task);
            wait_for_all();
            leave(in_task);
        }
        return;
    }
    for (int k = 0; k < regions; k++) {
        const char *name = names[level * regions + k];
        enter(name);
        make(level + 1);
        leave(name);
    }
}

int main(int argc, char **argv) {
    assert(argc == 3);
    threads = atoi(argv[1]);
    regions = atoi(argv[2]);
    enter = (probe *)dlsym(RTLD_DEFAULT, "aa_probe_enter");
    leave = (probe *)dlsym(RTLD_DEFAULT, "aa_probe_exit");
    assert(enter && leave);
    names = calloc((size_t)(LEVELS * regions), sizeof *names);
    for (int k = 0; k < LEVELS * regions; k++)
        snprintf(names[k], sizeof *names, "aa1|user|r%d.%d|||0|0|0", k / regions, k % regions);
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        maker = omp_get_thread_num();
        make(0);
    }
    return 0;
}
