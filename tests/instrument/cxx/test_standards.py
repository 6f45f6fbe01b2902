"""Every language standard, with headers that only its compiler understands in full."""

import pytest

pytestmark = pytest.mark.long

STRICT = ("-pedantic-errors", "-Wall", "-Wextra", "-Werror")

OLD = r"""
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>
template <class T> struct Sum { T n; Sum() : n() {} void operator()(T x) { for (int i = 0; i < x; i++) n += x; } };
int main() {
    std::vector<int> v(3, 2);
    std::map<int, std::vector<int> > m;
    for (std::vector<int>::iterator i = v.begin(); i != v.end(); ++i) m[*i] = v;
    Sum<int> s = std::for_each(v.begin(), v.end(), Sum<int>());
    std::printf("%d %lu\n", s.n, (unsigned long)m.size());
}
"""

NEW = r"""
#include <cstdio>
#include <memory>
#include <thread>
#include <tuple>
#include <unordered_map>
template <class... Ts> int all(std::tuple<Ts...> t) { int n = int(std::get<0>(t)); while (n > 3) --n; return n; }
int main() {
    int n = 0;
    std::thread worker([&n] { while (n < 3) n++; });
    worker.join();
    std::unordered_map<int, std::unique_ptr<int>> m;
    for (int i = 0; i < 3; i++) m[i].reset(new int(i));
    for (auto &each : m) n += *each.second;
    std::printf("%d %d\n", n, all(std::make_tuple(5, 2.)));
}
"""

HEAVY = r"""
#include <algorithm>
#include <complex>
#include <random>
#include <regex>
#include <immintrin.h>
#if __cplusplus > 202002L
#include <filesystem>
#endif
static struct Heavy {
    std::mt19937 random{1};
    Heavy() { std::printf("%d %g\n", random() > 0, std::abs(std::complex<double>(3, 4))); }
} heavy;
"""

NEWEST = r"""
#include <concepts>
#include <cstdio>
#include <numeric>
#include <optional>
#include <ranges>
#include <source_location>
#include <span>
#include <variant>
#include <vector>
template <std::integral T> T halve(T n) requires (sizeof(T) > 1) { while (n > 3) n /= 2; return n; }
int add(std::integral auto n, std::source_location at = std::source_location::current()) {
    for (unsigned i = 0; i < at.line(); i++) n += i;
    return n;
}
struct V { int n; auto operator<=>(const V &) const = default; };
int main() {
    std::vector<int> v{1, 2, 3, 4};
    int n = 0;
    auto even = std::views::filter([](int a) { return a % 2 == 0; });
    for (int x : v | even | std::views::transform([](int a) { return a * 2; })) n += x;
    for (std::span<int> s(v); auto &x : s) n += x;
    std::variant<int, double> w = 3;
    n += std::visit([](auto x) { while (x > 1) --x; return int(x); }, w);
    std::printf("%d %d %d %d\n", n, halve(20), add(1), V{1} < V{2});
}
"""


BY_NIGHT = [("g++", "gnu++03"), ("g++", "c++11"), ("clang++", "c++98"), ("clang++", "gnu++03")]
OLD_STANDARDS = [
    pytest.param(compiler, standard, marks=pytest.mark.nightly if (compiler, standard) in BY_NIGHT else [])
    for compiler in ("g++", "clang++")
    for standard in ("c++98", "gnu++03", "c++11")
]


@pytest.mark.parametrize(("compiler", "standard"), OLD_STANDARDS)
@pytest.mark.nightly
def test_old_standards(program, compiler, standard):
    run = program(OLD, f"-std={standard}", *STRICT, compiler=compiler)
    assert run.visits["Sum<...>::operator():loop@6"] == 3
    assert run.visits["main:loop@10"] == 1


WITH_THREADS = ("-pthread", "-O1", "-D_FORTIFY_SOURCE=2")


@pytest.mark.nightly  # by day: its headers are read with the newest standard
def test_the_first_standard_with_threads(program):
    assert loops_of_threads(program(NEW, "-std=c++11", *STRICT, *WITH_THREADS)) == [1, 1]


@pytest.mark.nightly
@pytest.mark.parametrize("standard", ["c++11", "c++14", "gnu++17", "c++20", "c++23"])
def test_standards_since_threads(program, standard):
    headers = HEAVY if standard in ("c++11", "c++23") else ""  # the oldest and the newest
    assert loops_of_threads(program(NEW + headers, f"-std={standard}", *STRICT, *WITH_THREADS)) == [1, 1]


def loops_of_threads(run):
    return [run.visits["main::lambda:loop@10"], run.visits["all<...>:loop@7"]]


def test_headers_of_the_newest_standard_are_read(tool):
    """Compiling these headers takes longer than reading them."""
    tool.write("x.cc", NEW + HEAVY)
    done = tool("autoanalyzer", "regions", "--cxx", "g++", "x.cc", "--", "-std=c++23", *STRICT, *WITH_THREADS)
    assert (done.returncode, done.stderr) == (0, b"")
    assert {"main", "all<...>", "Heavy::Heavy"} <= set(done.stdout.decode().split())


LOOPS = [("halve<...>", 11), ("add<...>", 13), ("main", 21), ("main", 22), ("main::lambda#3", 24)]


@pytest.mark.nightly  # by day: the headers of the newest standard are read
@pytest.mark.parametrize("standard", ["c++20", "c++2b"])
def test_the_newest_standards(program, standard):
    run = program(NEWEST, f"-std={standard}", *STRICT)
    assert set(run.visits) >= {f"{name}:loop@{line}" for name, line in LOOPS}
