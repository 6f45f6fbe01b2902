"""Exceptions leave regions in the same way as scopes."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

THROWN = r"""
#include <cstdio>
#include <exception>
struct Error : std::exception {}; struct Loud { ~Loud() { for (int i = 0; i < 2; i++) std::printf("~"); } };
int thrower(int n) { Loud l; for (int i = 0; ; i++) if (i == n) throw Error(); }
int middle(int n) { for (int i = 0; i < 3; i++) { Loud l; n += thrower(n); } return n; }
int rethrows(int n) { try { return middle(n); } catch (const std::exception &) { while (n > 1) --n; throw; } }
struct Half { int n; Half(int k) : n(k) { while (n > 3) --n; if (k) throw k; } ~Half() { std::printf("never"); } };
int main() {
    int n = 0;
    for (int i = 0; i < 2; i++) {
        try { rethrows(i + 1); } catch (const Error &e) { n++; }
        try { Half h(i + 4); } catch (int k) { n += k; }
    }
    std::printf("%d\n", n);
}
"""


def test_regions_are_left_when_an_exception_passes(program, cxx):
    run = program(THROWN, compiler=cxx)
    assert run.visits["thrower"] == run.visits["thrower:loop@5"] == run.visits["middle"] == 2
    assert run.visits["rethrows:loop@7"] == 2
    assert run.visits["Half::Half:loop@8"] == 2
    assert run.visits["main:loop@11"] == 1


EARLY = r"""
#include <cstdio>
#include <string>
int find(const std::string &s, char c) {
    for (unsigned i = 0; i < s.size(); i++) { std::string t = s; for (char d : t) if (d == c) return int(i); }
    return -1;
}
int jump(int n) {
    for (int i = 0; i < n; i++) {
        std::string s("a");
        for (;;) { if (i == 2) goto out; if (i % 2) break; else goto next; }
        next: ;
    }
out:
    return n;
}
int main() { std::printf("%d %d\n", find("abc", 'b'), jump(5)); }
"""


def test_return_break_and_goto_leave_regions(program):
    run = program(EARLY)
    assert run.visits == {"main": 1, "find": 1, "find:loop@5": 1, "jump": 1, "jump:loop@9": 1}


TRY_BLOCK = r"""
#include <cstdio>
struct A { int n; A(int k) try : n(k > 2 ? throw k : k) { while (n > 3) --n; } catch (int) { std::puts("!"); } };
int f(int n)
try { for (int i = 0; i < 3; i++) n += i; if (n > 5) throw n; return n; }
catch (int k) { while (k > 3) --k; return k; }
int main() { try { A a(5); } catch (int k) { std::puts("!"); } A b(1); std::printf("%d %d %d\n", b.n, f(1), f(9)); }
"""


def test_functions_whose_body_is_a_try_block_are_left_out_and_their_loops_are_not(program, lab, cxx):
    run = program(TRY_BLOCK, compiler=cxx)
    assert run.visits == {"main": 1, "A::A:loop@3": 1, "f:loop@5": 2, "f:loop@6": 1}
    reasons = lab.left_out("x.cc")
    assert reasons["A::A"] == reasons["f"] == "its body is a try block"


def test_a_program_without_exceptions(program):
    run = program(
        '#include <cstdio>\nint main() { for (int i = 0; i < 3; i++) std::puts("x"); }\n',
        "-fno-exceptions",
        "-fno-rtti",
    )
    assert run.visits == {"main": 1, "main:loop@2": 1}
