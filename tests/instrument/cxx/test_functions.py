"""Functions: free ones, in namespaces, with C linkage, overloaded, deleted, with every kind of signature."""

FORMS = r"""
#include <cstdio>
#include <vector>
namespace outer { namespace { int hidden(int n) { while (n > 3) --n; return n; } }
namespace inner { auto trailing(int n) -> int { while (n > 3) --n; return n; } } }
namespace a::b { [[nodiscard]] int nested(int n) noexcept { while (n > 3) --n; return n; } }
extern "C" { int linked(int n) { while (n > 3) --n; return n; } }
extern "C" int alone(int n) noexcept(true) { while (n > 3) --n; return n; }
static std::vector<int> (*pointed(int n))(int) { while (n > 3) --n; return nullptr; }
decltype(1 + 1) deduced(int n = (3 > 2 ? 1 : 0)) { while (n > 3) --n; return n; }
auto automatic(int n) { while (n > 3) --n; return n; }
int forbidden() = delete;
inline int inlined(int n) { while (n > 3) --n; return n; }
__attribute__((noinline)) int attributed(int n) { while (n > 3) --n; return n; }
int (grouped)(int n) { while (n > 3) --n; return n; }
int main() {
    pointed(5);
    std::printf("%d\n", outer::hidden(4) + outer::inner::trailing(5) + a::b::nested(6) + linked(7) + alone(8)
        + deduced() + automatic(4) + inlined(4) + attributed(5) + grouped(6));
}
"""


def test_functions_of_every_form_are_regions_by_their_qualified_names(program, cxx):
    run = program(FORMS, "-std=c++17", compiler=cxx)
    names = {name.partition(":loop")[0] for name in run.visits}
    assert names == {
        "main",
        "outer::hidden",
        "outer::inner::trailing",
        "a::b::nested",
        "linked",
        "alone",
        "pointed",
        "deduced",
        "automatic",
        "inlined",
        "attributed",
        "grouped",
    }
    assert all(run.visits[f"{name}:loop@{line}"] == 1 for name, line in (("outer::hidden", 4), ("grouped", 15)))


OVERLOADS = r"""
#include <cstdio>
int f(int n) { while (n > 3) --n; return n; }
double f(double x) { while (x > 3) --x; return x; }
template <class T> T f(T *p) { while (*p > 3) --*p; return *p; }
struct A {
    int at(int n) { while (n > 3) --n; return n; }
    int at(int n) const { while (n > 2) --n; return n; }
    int only(int n) { while (n > 3) --n; return n; }
};
int main() {
    int n = 9;
    const A c{};
    A a;
    std::printf("%d %g %d %d\n", f(4), f(5.5), f(&n), a.at(5) + c.at(5) + a.only(4));
}
"""


def test_overloads_are_told_apart_by_their_parameters(program):
    run = program(OVERLOADS)
    names = {name.partition(":loop")[0] for name in run.visits}
    assert names == {"main", "f(int)", "f(double)", "f<...>", "A::at(int)", "A::at(int) const", "A::only"}


SAME = r"""
#include <cstdio>
namespace { int f(int n) { while (n > 3) --n; return n; } }
namespace b { namespace { int f(int n) { while (n > 4) --n; return n; } } }
template <class T> struct only { };
template <class T> int g(T n, only<int> = {}) { while (n > 3) --n; return n; }
int g(int n) { while (n > 4) --n; return n; }
template <> int g<long>(long n, only<int>) { while (n > 5) --n; return n; }
template <> int g<short>(short n, only<int>) { while (n > 5) --n; return n; }
int main() { std::printf("%d\n", f(5) + b::f(5) + g('a') + g(9) + g(9L) + g<short>(9)); }
"""


def test_no_two_regions_of_a_file_have_one_identity(program):
    run = program(SAME)
    entered = [region for event, region in run.events if event == "enter"]
    assert len({region.identity for region in entered}) == len(entered)


TINY = r"""
#include <cmath>
#include <cstdio>
struct Point {
    double x;
    double length() const { return std::sqrt(x * x); }
    double called() const { return length() + 1; }
    double outside() const;
};
double Point::outside() const { return called() + 1; }
double lone(double x) { return x * x; }
template <class T> T twice(T x) { return lone(x) * 2; }
int main() { Point p{2}; std::printf("%g\n", p.outside() + lone(2) + twice(3.)); }
"""


def test_tiny_functions_are_left_out_with_the_reason(program, lab):
    run = program(TINY)
    assert set(run.visits) == {"main", "Point::outside"}
    reasons = lab.left_out("x.cc")
    assert reasons["Point::called"] == reasons["twice<...>"] == "tiny: inline, no loop, at most 20 statements"
    assert reasons["lone"] == "tiny: no loop, no call, at most 20 statements"


EXEMPT = r"""
#include <cstdio>
[[gnu::no_instrument_function]] int quiet(int n) { for (int i = 0; i < 3; i++) n += i; return n; }
__attribute__((no_instrument_function)) int still(int n) { for (int i = 0; i < 3; i++) n += i; return n; }
__attribute__((naked)) void bare() { __asm__("ret"); }
int count(int n, int sum) { if (n == 0) return sum; return count(n - 1, sum + n % 2); }
__attribute__((noinline)) int named(int signal, int (*call)(int)) { while (signal > 3) --signal; return call(signal); }
struct Node { Node *next; int value; void walk(long &sum); };
void Node::walk(long &sum) { if (!value) return; sum += value; next->walk(sum); }
void halves(int n) { if (n < 2) return; halves(n / 2); halves(n - n / 2); }
int main() {
    bare();
    std::printf("%d %d %d %d\n", quiet(2), still(3), count(40000000, 0), named(5, quiet));
    static Node nodes[2000000];
    for (int i = 1; i < 2000000; i++) nodes[i] = {&nodes[i - 1], 1};
    long sum = 0;
    nodes[1999999].walk(sum);
    halves(9);
    std::printf("%ld\n", sum);
}
"""


def test_functions_that_must_not_be_touched_are_left_out(program, lab):
    run = program(EXEMPT, "-O2")
    assert set(run.visits) == {"main", "main:loop@15", "named", "named:loop@7", "halves"}
    reasons = lab.left_out("x.cc")
    assert reasons["quiet"] == reasons["still"] == reasons["loop@3"] == "attribute no_instrument_function"
    assert reasons["bare"] == "attribute naked"
    last = "calls itself last, which a probe would make use up the stack"
    assert reasons["count"] == reasons["Node::walk"] == last
