"""User threads: each context has its own stack, and its own open regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autoanalyzer.experiment import load

from .conftest import succeed

SPIN = """
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>
static volatile double total;
__attribute__((noinline)) static void spin(int times) {
    double sum = 0;
    for (int i = 1; i < times; i++)
        sum += 1.0 / i;
    total += sum;
}
static void make(ucontext_t *context, ucontext_t *after, void (*run)(void)) {
    getcontext(context);
    context->uc_stack.ss_size = 1 << 18;
    context->uc_stack.ss_sp = malloc(1 << 18);
    context->uc_link = after;
    makecontext(context, run, 0);
}
"""
SYMMETRIC = """
static ucontext_t back, one, two;
static void producer(void) {
    for (int i = 0; i < 20; i++) {
        spin(30000);
        swapcontext(&one, &two);
    }
}
static void consumer(void) {
    for (int i = 0; i < 20; i++) {
        spin(10000);
        swapcontext(&two, &one);
    }
}
__attribute__((noinline)) static void pipeline(void) {
    make(&one, &back, producer);
    make(&two, &back, consumer);
    swapcontext(&back, &one);
}
int main(void) {
    pipeline();
    for (int i = 0; i < 3; i++)
        spin(10000);
    return 0;
}
"""
SHARED = """
static ucontext_t home[2], fiber;
static int turn;
static pthread_barrier_t met;
static void task(void) {
    for (int i = 0; i < 10; i++) {
        spin(10000);
        swapcontext(&fiber, &home[turn]);
    }
}
static void *work(void *number) {
    for (int i = 0; i < 10; i++) {
        pthread_barrier_wait(&met);
        if (i % 2 == *(int *)number) {
            turn = i % 2;
            swapcontext(&home[turn], &fiber);
        }
        pthread_barrier_wait(&met);
    }
    return NULL;
}
int main(void) {
    int numbers[2] = {0, 1};
    pthread_t threads[2];
    pthread_barrier_init(&met, NULL, 2);
    make(&fiber, NULL, task);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""
JUMPING = """
static ucontext_t unused, fiber;
static jmp_buf away, back;
static void task(void) {
    if (!_setjmp(away))
        _longjmp(back, 1);
    for (;;) {
        spin(10000);
        if (!_setjmp(away))
            _longjmp(back, 1);
    }
}
__attribute__((noinline)) static void begin(void) {
    make(&fiber, NULL, task);
    if (!_setjmp(back))
        swapcontext(&unused, &fiber);
    spin(10000);
}
int main(void) {
    begin();
    for (int i = 0; i < 3; i++)
        spin(10000);
    return 0;
}
"""
SMALL = """
#include <dlfcn.h>
#include <sys/mman.h>
static ucontext_t back, fiber;
static double (*work)(int);
static void task(void) {
    usleep(110000); /* what is known of the process is put down each 100 ms */
    total += work(1000);
}
int main(void) {
    work = (double (*)(int))dlsym(dlopen("./work.so", RTLD_NOW), "work");
    make(&fiber, &back, task);
    char *stack = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack, 4096, PROT_NONE);
    fiber.uc_stack.ss_sp = stack + 4096;
    fiber.uc_stack.ss_size = 4096;
    makecontext(&fiber, task, 0);
    swapcontext(&back, &fiber);
    return 0;
}
"""
WORK = """
double work(int times) {
    double sum = 0;
    for (int i = 1; i < times; i++)
        for (int j = 1; j < times; j++)
            sum += 1.0 / (i + j);
    return sum;
}
"""


def recorded(tool: Any, text: str) -> tuple[dict[str, int], str]:
    """Build and run a program; return the visits of its call paths without loops, and the messages of the run."""
    tool.write("app.c", SPIN + text)
    succeed(tool("aa-mpicc", "-O1", "-g", "app.c", "-o", "app", "-lpthread"))
    done = succeed(tool("autoanalyzer", "run", "-o", "out", "--no-calibrate", "--", "./app"))
    found = load(tool.folder / "out" / "experiment.cube")
    counts = np.nan_to_num(found.exclusive("visits")).sum(axis=1)
    names, visits = list[str](), dict[str, int]()
    for path, count in zip(found.call_paths, counts, strict=True):
        above = names[path.parent] if path.parent is not None else ""
        is_function = path.region.kind == "function"
        names.append("/".join(filter(None, (above, path.region.name))) if is_function else above)
        if is_function:
            visits[names[-1]] = int(count)
    return visits, done.stderr.decode()


def test_contexts_have_their_own_call_paths_and_the_thread_goes_on_behind_them(tool: Any) -> None:
    visits, said = recorded(tool, SYMMETRIC)
    assert visits["main/pipeline/producer/spin"] == 20
    assert visits["main/pipeline/consumer/spin"] == 20
    assert visits["main/spin"] == 3
    assert "jump" not in said
    assert "not open" not in said


def test_a_context_may_go_on_in_another_thread(tool: Any) -> None:
    visits, said = recorded(tool, SHARED)
    spins = {path: count for path, count in visits.items() if path.endswith("spin")}
    assert spins == {"main/work/task/spin": 10}
    assert "jump" not in said
    assert "not open" not in said


def test_a_thread_that_jumps_back_to_its_own_stack_goes_on_where_it_was_and_it_is_said(tool: Any) -> None:
    visits, said = recorded(tool, JUMPING)
    assert visits["main/spin"] == 3
    assert "left by a jump" in said
    assert "not open" not in said


def test_a_context_with_a_small_stack_may_be_the_first_in_a_library(tool: Any) -> None:
    tool.write("work.c", WORK)
    succeed(tool("aa-mpicc", "-O1", "-fPIC", "-shared", "work.c", "-o", "work.so"))
    visits, _ = recorded(tool, SMALL)
    assert visits["main/task/work"] == 1
