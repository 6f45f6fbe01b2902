"""Every way of leaving a region is recorded: return, break, continue, goto, exit."""

LEAVING = r"""
#include <stdio.h>
#include <stdlib.h>
static int first(int n) {
    for (int i = 0; i < 10; i++) {
        if (i == n)
            return i * 2;
        if (i % 2)
            continue;
        printf("%d ", i);
    }
    return -1;
}
static int jump(int n) {
    int sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            sum += i * j;
            if (sum > n)
                goto out;
        }
    printf("no jump ");
out:
    while (1) {
        if (sum-- < 0)
            break;
    }
    return sum;
}
int main(void) {
    printf("%d %d %d\n", first(3), jump(7), jump(10000));
    if (first(4) == 8)
        exit(3);
    return 0;
}
"""


def test_return_break_continue_and_goto_leave_every_region(lab):
    run = lab.run(LEAVING, still_open=["main"])  # exit() leaves only main open
    assert run.visits == {
        "main": 1,
        "first": 2,
        "first:loop@5": 2,
        "jump": 2,
        "jump:loop@16": 2,
        "jump:loop@24": 2,
    }


LONGJMP = r"""
#include <setjmp.h>
#include <stdio.h>
static jmp_buf here;
static int depth;
static void deep(int n) { if (n == 0) longjmp(here, 1); deep(n - 1); depth++; }
int main(void) {
    volatile int count = 0;
    if (setjmp(here) == 0)
        for (;;) { count++; deep(3); }
    printf("%d\n", count);
    return 0;
}
"""


def test_longjmp_leaves_regions_open_and_the_program_as_it_was(lab):
    assert lab.run(LONGJMP, still_open=None).visits == {"main": 1, "main:loop@10": 1, "deep": 4}


RECURSION = r"""
#include <stdio.h>
static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { printf("%ld\n", fib(6)); return 0; }
"""


def test_recursion_nests(lab):
    assert lab.run(RECURSION).visits == {"main": 1, "fib": 25}
