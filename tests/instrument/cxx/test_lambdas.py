"""Lambdas: regions of their own, below the function that contains their text."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

LAMBDAS = r"""
#include <cstdio>
#include <vector>
template <class V, class F> void sort(V &v, F less) { if (less(v[1], v[0])) v = V{v[1], v[0], v[2]}; }

int at_start = [](int n) { while (n > 3) --n; return n; }(9);
struct Holder {
    int (*f)(int) = [](int n) { while (n > 3) --n; return n; };
    int run(int n) { return [this, n] { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }(); }
};
template <class F> int apply(F f) { int s = 0; for (int i = 0; i < 3; i++) s += f(i); return s; }
int main() {
    std::vector<int> v{3, 1, 2};
    int total = at_start;
    sort(v, [](int a, int b) { return a < b; });
    for (int x : v) {
        auto add = [&, x](auto n) mutable -> int { for (; n > 0; --n) total += x; return total; };
        add(2);
    }
    total += apply([](int n) { while (n > 1) { [&] { for (int i = 0; i < 2 && i < n; i++) --n; }(); } return n; });
    total += apply([](auto n) noexcept { do { --n; } while (n > 0); return n; });
    std::printf("%d %d\n", total, Holder().run(4));
}
"""


def test_lambdas_are_regions_and_their_loops_theirs(program, cxx):
    run = program(LAMBDAS, "-std=c++20", compiler=cxx)
    assert "lambda:loop@6" not in run.visits  # executed by the compiler
    assert run.visits["lambda#2:loop@8"] == 4
    assert run.visits["Holder::run::lambda:loop@9"] == 1
    assert run.visits["main::lambda#2:loop@17"] == 3
    assert run.visits["main:loop@16"] == 1
    assert run.visits["main::lambda#4:loop@21"] == 3
    assert "main::lambda@15" not in run.visits  # too small to measure separately
    inner = {region.function for _, region in run.events if region.kind == "loop" and region.first_line == 20}
    assert len(inner) == 2


INITIALISER = r"""
#include <cstdio>
extern const int table;
int user = table + 0;
template <class L, int = (L{}(), 0)> constexpr bool is_constant(L) { return true; }
constexpr bool is_constant(...) { return false; }
const int table = [] { int s = 0; for (int i = 0; i < 10; i++) s += i; return s; }();
int main() {
    bool constant = is_constant([] { int s = 0; for (int i = 0; i < 9; i++) s += i; return s; });
    std::printf("%d %d\n", user, constant);
}
"""


def test_a_constant_that_a_lambda_makes_is_made_as_early_as_before(program, lab, cxx):
    source = f"{INITIALISER}// as early as {cxx} can\n"
    program(source.replace("constant = is_constant(", "constant = false; static_cast<void>("), compiler=cxx)
    assert lab.left_out("x.cc")["lambda@7"] == "a lambda that may run at compile time"
    assert set(program(source, "-std=c++20", compiler=cxx).visits) == {"main"}


CONSTANT = r"""
#include <cstdio>
constexpr int sum = [](int n) { int s = 0; while (n > 0) s += n--; return s; }(4);
static_assert([] { int s = 0; for (int i = 0; i < 3; i++) s += i; return s; }() == 3);
int main() {
    constexpr auto half = [](int n) { while (n > 3) n /= 2; return n; };
    static_assert(half(9) == 2);
    std::printf("%d %d\n", sum, half(20));
}
"""


def test_lambdas_that_the_compiler_may_run_are_left_out(program, lab, cxx):
    run = program(CONSTANT, "-std=c++17", compiler=cxx)
    assert set(run.visits) == {"main"}
    reasons = lab.left_out("x.cc", "--", "-std=c++17")
    assert reasons["lambda@3"] == "a lambda that may run at compile time"
