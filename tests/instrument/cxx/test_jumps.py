"""Jumps into loops, which would bypass the construction of a guard."""

DUFF = r"""
#include <cstdio>
int copy(int n) {
    int k = 0, m = (n + 3) / 4;
    switch (n % 4) { case 0: do { k++; case 3: k++; case 2: k++; case 1: k++; } while (--m > 0); }
    for (int i = 0; i < 2; i++) k += i;
    return k;
}
int into(int n) {
    if (n > 3) goto middle;
    while (n < 10) { n += 2; middle: n++; }
    for (int i = 0; i < 2; i++) switch (i) { case 0: n++; default: n++; }
    return n;
}
int computed(int n) {
    static void *const table[] = {&&one, &&two};
    while (n < 10) { goto *table[n % 2]; one: n += 3; two: n += 2; }
    return n;
}
int out(int n) {
    static void *const table[] = {&&inside, &&after};
    while (n < 10) { goto *table[n > 6]; inside: n += 3; }
after:
    return n;
}
int main() { std::printf("%d %d %d %d\n", copy(10), into(2) + into(5), computed(1), out(1)); }
"""


def test_loops_that_jumps_enter_are_left_out(program, lab):
    assert set(program(DUFF).visits) == {
        *("main", "copy", "copy:loop@6", "into", "into:loop@12"),
        *("computed", "computed:loop@17", "out"),
    }
    reasons = lab.left_out("x.cc")
    assert reasons["loop@5"] == "entered by a case label of an enclosing switch"
    assert reasons["loop@11"] == "entered by goto middle"
    assert reasons["loop@22"] == "entered or left by a computed goto"


TAIL = r"""
#include <cstdio>
int even(int n);
int odd(int n) { while (n > 9) n -= 2; if (n == 0) return 0; [[clang::musttail]] return even(n - 1); }
int even(int n) { while (n > 9) n -= 2; if (n == 0) return 1; return odd(n - 1); }
int main() { std::printf("%d\n", even(12)); }
"""


def test_functions_that_must_return_by_a_jump_are_left_out(program, lab):
    run = program(TAIL, compiler="clang++")
    assert "odd" not in run.visits
    assert run.visits["even:loop@5"] == 5
    assert lab.left_out("x.cc")["loop@4"] == "a return statement that must be a tail call"
