"""Lambdas: regions of their own, below the function that holds their text."""

LAMBDAS = r"""
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>
int at_start = [](int n) { while (n > 3) --n; return n; }(9);
struct Holder {
    std::function<int(int)> f = [](int n) { while (n > 3) --n; return n; };
    int run(int n) { return [this, n] { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; }(); }
};
template <class F> int apply(F f) { int s = 0; for (int i = 0; i < 3; i++) s += f(i); return s; }
int main() {
    std::vector<int> v{3, 1, 2};
    int total = at_start;
    std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
    for (int x : v) {
        auto add = [&, x](auto n) mutable -> int { for (; n > 0; --n) total += x; return total; };
        add(2);
    }
    total += apply([](int n) { while (n > 1) { [&] { for (int i = 0; i < 2; i++) --n; }(); } return n; });
    total += apply([](auto n) noexcept { do { --n; } while (n > 0); return n; });
    std::printf("%d %d\n", total, Holder().run(4));
}
"""


def test_lambdas_are_regions_and_their_loops_theirs(program, cxx):
    run = program(LAMBDAS, compiler=cxx)
    assert run.visits["lambda:loop@6"] == 1
    assert run.visits["lambda@8"] == 4
    assert run.visits["Holder::run::lambda@9"] == 1
    assert run.visits["main::lambda@17"] == 3
    assert run.visits["main:loop@16"] == 1
    assert run.visits["main::lambda@20"] == run.visits["main::lambda@21"] == 3
    assert "main::lambda@15" not in run.visits  # tiny
    inner = {region.function for _, region in run.events if region.kind == "loop" and region.first_line == 20}
    assert len(inner) == 2


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
