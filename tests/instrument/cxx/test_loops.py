"""Loops of every form, as the body of any statement."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

FORMS = r"""
#include <cstdio>
#include <string>
#include <vector>
struct Pair { std::string key; int value; };
int main() {
    int n = 0, i;
    std::vector<int> v{1, 2, 3};
    Pair m[]{{"a", 1}, {"b", 2}};
    for (i = 0; i < 3; i++) n++;
    for (int x : v) n += x;
    for (auto &[key, value] : m) n += value + int(key.size());
    for (const auto &x : std::vector<std::vector<int>>{{1}, {2, 3}}) for (int y : x) n += y;
    for (std::vector<int>::iterator it = v.begin(); it != v.end(); ++it) *it += 1;
    do n++; while (n < 40);
    do { n--; } while (n > 10);
    while (int k = n % 3) n -= k;
    if (n) for (int x : {1, 2}) n += x; else while (n) n--;
    if (!n) n = 5; else for (int k = 0, q = 3; k < q; k++) n += k;
    for (i = 0; i < 2; i++) try { if (i) throw i; n++; } catch (int e) { n += e; } catch (...) { n = 0; }
    for (i = 0; i < 2; i++) if (int q = i; q > 0) n++; else if (q < 0) n--; else n += 2;
    for (i = 0; i < 2; i++) v = std::vector<int>{1, i};
    switch (n) { case 1: for (;;) break; default: while (false) ; for (i = 0; i < 1; i++) ; }
    for (i = 0; i < 2; i++) std::string("a").append(R"({"while (1) {)");
    [[maybe_unused]] int bits = 0x1'0 + 1'000'000;
    for (i = 0; i < 2; i++) { for (auto x : v) { while (x > 100) x--; } }
    do { n++; } while (0);
    for (i = 0; i < 3; i++) switch (i) { case 0: n++; break; case 1: { n += 2; } default: ; }
here: for (i = 0; i < 1; i++) ::std::string().clear();
    if (n == -1) goto here;
    std::printf("%d %d\n", n, bits);
}
"""


def test_each_outermost_loop_is_one_region(program, cxx):
    run = program(FORMS, "-std=c++17", compiler=cxx)
    ran = (10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28, 29)
    loops = {name: count for name, count in run.visits.items() if name != "main"}
    assert {name: count for name, count in loops.items() if name != "main:loop@23"} == {
        f"main:loop@{line}": 1 for line in ran
    }
    assert loops["main:loop@23"] == 2


MACRO = r"""
#include <cstdio>
#include <cassert>
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define DEFINE(name) int name(int n) { while (n > 3) --n; assert(n < 100); return n; }
DEFINE(made)
int main() {
    int s = 0;
    EACH(i, 3) {
        s += i;
    }
    std::printf("%d\n", s + made(5));
}
"""


def test_what_macros_make_stands_where_they_are_used(program):
    run = program(MACRO)
    assert run.visits == {"main": 1, "main:loop@9": 1, "made": 1, "made:loop@6": 1}
    assert {region.last_line for _, region in run.events if region.name == "loop@9"} == {11}


ATTRIBUTES = r"""
#include <cstdio>
int main(int argc, char **) {
    int n = 0;
    if (argc) [[likely]] for (int i = 0; i < 3; i++) n++;
    if (argc > 5) n--; else [[unlikely]] while (n > 2) n--;
#pragma GCC ivdep
    for (int i = 0; i < 3; i++) n++;
    switch (n) { case 5: n++; [[fallthrough]]; default: for (int i = 0; i < 3; i++) n++; }
#pragma GCC unroll 4
    for (int i = 0; i < 3; i++) n += i;
    std::printf("%d\n", n);
}
"""


def test_attributes_and_pragmas_stay_with_their_loop(program):
    run = program(ATTRIBUTES, "-std=c++20")
    assert {name for name in run.visits if name != "main"} == {f"main:loop@{line}" for line in (5, 6, 8, 9, 11)}
