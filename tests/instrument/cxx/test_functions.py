"""Functions: free, in namespaces, with C linkage, overloaded, deleted, with every kind of signature."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

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
    assert set(program(TINY, "-std=c++14").visits) == {"main", "Point::outside"}
    reasons = lab.left_out("x.cc", "--", "-std=c++14")
    assert reasons["Point::called"] == reasons["twice<...>"] == "tiny: inline, no loop, at most 20 statements"
    assert reasons["lone"] == "tiny: no loop, no call, at most 20 statements"


EXEMPT = r"""
#include <cstdio>
[[gnu::no_instrument_function]] int quiet(int n) { for (int i = 0; i < 3; i++) n += i; return n; }
__attribute__((no_instrument_function)) int still(int n) { for (int i = 0; i < 3; i++) n += i; return n; }
__attribute__((naked)) void bare() { __asm__("ret"); }
int shy(int) __attribute__((no_instrument_function));
int shy(int n) { for (int i = 0; i < 3; i++) n += i; return n; }
int odd(long n);
int even(long n) { return n == 0 ? 1 : odd(n - 1); }
int odd(long n) { switch (n) { case 0: return 0; default: return even(n - 1); } }
int count(int n, int sum) { if (n == 0) return sum; return count(n - 1, sum + n % 2); }
__attribute__((noinline)) int named(int signal, int (*call)(int)) { while (signal > 3) --signal; return call(signal); }
struct Node { Node *next; int value; void walk(long &sum); };
void Node::walk(long &sum) { if (!value) return; sum += value; next->walk(sum); }
void halves(int n) { if (n < 2) return; halves(n / 2); halves(n - n / 2); }
int main() {
    bare();
    std::printf("%d %d %d %d\n", quiet(2) + shy(1), still(3) + even(40000000), count(40000000, 0), named(5, quiet));
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
    assert set(run.visits) == {"main", "main:loop@20", "named", "named:loop@12", "halves"}
    reasons = lab.left_out("x.cc")
    forbidden = {reasons[name] for name in ("quiet", "still", "shy", "loop@3")}
    assert forbidden == {"attribute no_instrument_function"}
    assert reasons["bare"] == "attribute naked"
    last = "ends with a call to itself, and a probe after this call could exhaust the stack"
    assert {reasons[name] for name in ("count", "Node::walk", "even", "odd")} == {last}


LAST = """\
#include <cstdio>
#include <numeric>
#include <vector>
namespace a { long go(long n) { long s = 0; for (long i = 0; i < n; i++) s += i; return s; } }
namespace b { long go(long n) { for (long i = 0; i < 3; i++) n += i * n; return ::a::go(n); } }
struct Body {
    std::vector<long> cells;
    virtual ~Body() {}
    virtual void step(long n) { for (long i = 0; i < n; i++) cells[i % cells.size()] += i; }
    virtual long value(long n) const { return std::accumulate(cells.begin(), cells.end(), n); }
};
struct Star : Body {
    void step(long n) override { for (long i = 0; i < n; i++) cells[0] ^= i; Body::step(n); }
    long value(long n) const override { return Body::value(n) + std::accumulate(cells.begin(), cells.end(), 0L); }
};
struct Watched : Body {
    Body &inner;
    explicit Watched(Body &body) : inner(body) { cells.resize(4); }
    void step(long n) override { std::partial_sum(cells.begin(), cells.end(), cells.begin()); inner.step(n); }
};
template <class T> struct Pool {
    std::vector<T> all;
    void push_back(T one) { std::partial_sum(all.begin(), all.end(), all.begin()); all.push_back(one); }
};
long over(double x) { return (long)x; }
long over(long n) { for (long i = 0; i < n; i++) n -= i; return over(double(n)); }
long down(long n) { for (long i = 0; i < 2; i++) n -= i; return n > 0 ? down(n - 1) : n; }
template <class T> T sink(T n) { for (int i = 0; i < 2; i++) n -= 1; if (n > 0) return sink(n); return n; }
long add(long n, long m) { return n + m; }
long fold(long n) { for (long i = 0; i < 2; i++) n -= i; return n > 0 ? add(1, fold(n - 1)) : n; }
int main() {
    Star star;
    star.cells.resize(8);
    Watched watched(star);
    watched.step(9);
    Pool<int> pool;
    pool.push_back(3);
    std::printf("%ld %ld %ld %ld %d %ld\\n", b::go(2), star.value(1), over(4L), down(30), sink(9), fold(5));
}
"""


def test_functions_that_call_others_of_their_name_last_are_regions(program, lab):
    run = program(LAST, "-O2")
    assert {"b::go", "Star::step", "Watched::step", "Pool<...>::push_back", "over(long)", "fold"} <= set(run.visits)
    last = "ends with a call to itself, and a probe after this call could exhaust the stack"
    assert {name for name, why in lab.left_out("x.cc").items() if why == last} == {"down", "sink<...>"}


DEEP = """\
#include <cstdio>
struct node { node *next; long value; };
long sum;
static node nodes[2000000];
void block(node *p) { if (p) { sum += p->value; block(p->next); } }
void other(node *p) { if (p) { sum += p->value; other(p->next); } else { sum += 1; } }
void leave(node *p) { if (p) { sum += p->value; { leave(p->next); return; } } sum += 2; }
long paren(node *p, long n) { if (!p) return n; return (paren(p->next, n + p->value)); }
long cast(node *p, long n) { if (!p) return n; return static_cast<long>(cast(p->next, n + p->value)); }
template <class D> struct Base {
    D *next = nullptr;
    void go() { sum++; if (next) next->go(); }
};
struct Link : Base<Link> {};
namespace ns { template <class N> long way(N *p, long n) { if (!p) return n; return ns::way(p->next, n + p->value); } }
int main() {
    Link *links = new Link[2000000];
    for (long i = 1; i < 2000000; i++) { nodes[i] = {&nodes[i - 1], i}; links[i].next = &links[i - 1]; }
    node *first = &nodes[1999999];
    block(first); other(first); leave(first); links[1999999].go();
    std::printf("%ld %ld %ld %ld\\n", sum, paren(first, 0), cast(first, 0), ns::way(first, 0));
}
"""


def test_however_a_function_calls_itself_last_it_needs_no_more_stack(program, lab):
    run = program(DEEP, "-O2")
    assert not {"block", "other", "leave", "paren", "cast", "Base<...>::go", "ns::way<...>"} & set(run.visits)
    assert (
        lab.left_out("x.cc")["block"]
        == "ends with a call to itself, and a probe after this call could exhaust the stack"
    )
