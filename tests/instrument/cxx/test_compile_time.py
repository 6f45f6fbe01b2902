"""constexpr and consteval: code that the compiler executes has no probes, and is listed."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

CONSTEXPR = r"""
#include <array>
#include <cstdio>
constexpr int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
struct P { int n; constexpr P(int k) : n(k) { while (n > 3) --n; } constexpr int get() const { return n; } };
template <class T> constexpr T power(T x, int n) { T p = 1; while (n-- > 0) p *= x; return p; }
std::array<int, sum(4)> table;
static_assert(P(9).get() == 3);
static_assert(power(2, 3) == 8);
int main(int n, char **) { while (n < 3) n++; std::printf("%zu %d %d\n", table.size(), sum(n), power(n, 2)); }
"""

CONSTEVAL = r"""
#include <cstdio>
consteval int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
constinit int at_start = sum(5);
int main() { for (int i = 0; i < 2; i++) std::printf("%d\n", at_start + sum(3)); }
"""


def test_constexpr_functions_are_left_out(program, lab, cxx):
    run = program(CONSTEXPR, "-std=c++17", compiler=cxx)
    assert set(run.visits) == {"main", "main:loop@10"}
    reasons = lab.left_out("x.cc", "--", "-std=c++17")
    assert reasons["sum"] == reasons["P::P"] == reasons["power<...>"] == "constexpr: may run at compile time"
    assert reasons["loop@4"] == "constexpr: may run at compile time"


def test_consteval_functions_are_left_out(program, lab):
    run = program(CONSTEVAL, "-std=c++20")
    assert set(run.visits) == {"main", "main:loop@5"}
    assert lab.left_out("x.cc", "--", "-std=c++20")["sum"] == "consteval: may run at compile time"
