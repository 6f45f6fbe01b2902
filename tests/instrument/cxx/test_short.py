"""Inline functions and their loops that execute few statements, which a probe would cost as much as."""

SHORT = r"""
#include <cstdio>
enum { nodes = 8 };
constexpr int plane() { return 6; }
static const int sides = 2 * plane();
inline double jacobian(const double *x) {
    double sum = 0;
    for (int i = 0; i < nodes; ++i) sum += x[i] * 2;
    for (int i = sides - 1; i >= 0; i -= 2) for (int j = 0; j != 3; j++) sum -= x[j];
    return sum;
}
template <class T> T element(T *x) {
    T sum = 0;
    for (T k = 0; k < 4; ++k) sum += jacobian(x) / 100;
    return sum;
}
template <class T> T each(T *x, int n) {
    T sum = 0;
    for (int i = 0; i < n; ++i) sum += jacobian(x);
    int once;
    for (once = 0; once <= 3; once++) sum += 1;
    return sum;
}
inline double said(double *x) { for (int i = 0; i < 3; i++) std::puts("!"); return x[0]; }
template <int N> double unknown(double *x) { for (int i = 0; i < N; i++) x[i] += 1; return x[0]; }
inline double often(double *x) { for (int i = 0; i < 1000; i++) x[i % 8] += 1; return x[0]; }
inline double moved(double *x) { int k = 0; for (int i = 0; k < 3; i++) k += 2; return x[k]; }
inline int deep(int n) { if (n > 5) return n; n += deep(n + 1) + deep(n + 2); return n; }
inline int deeper(int n) { for (int i = 0; i < 2; i++) n += deep(n); return n; }
struct Shape {
    virtual int area() { return 1; }
    int areas() { int n = 0; for (int i = 0; i < 2; i++) n += area(); return n; }
};
struct Large : Shape { int area() override { int n = 0; while (n < 9) n++; std::puts("large"); return n; } };
double plain(double *x) { for (int i = 0; i < 8; i++) x[i] += 1; return x[0]; }
int main() {
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    Large l;
    for (int i = 0; i < 2; i++) std::printf("%g\n", element(x) + each(x, 3) + said(x) + unknown<2>(x) + often(x));
    std::printf("%g %d %d\n", moved(x) + plain(x), deeper(3), l.areas());
}
"""


def test_what_constants_bound_is_left_out_where_it_is_inline(program, lab, cxx):
    run = program(SHORT, compiler=cxx)
    reasons = lab.left_out("x.cc")
    few = "at most 200 statements are executed"
    assert reasons["jacobian"] == f"short: inline, {few}"
    assert {reasons[f"loop@{line}"] for line in (8, 9, 21)} == {f"short: in an inline function, {few}"}
    alone = {"each<...>", "unknown<...>", "often", "element<...>", "moved"}
    assert {reasons[name] for name in alone} == {
        "short: inline, at most 20 statements are executed outside of its loops"
    }
    loops = {name.partition(":loop")[0]: count for name, count in run.visits.items() if ":loop" in name}
    assert loops == {
        **{"main": 1, "element<...>": 2, "each<...>": 2, "said": 2, "unknown<...>": 2, "often": 2, "moved": 1},
        **{"plain": 1, "deeper": 1, "Shape::areas": 1, "Large::area": 2},
    }


def test_without_loops_functions_have_their_time(lab):
    lab.tool.write("x.cc", SHORT)
    done = lab.tool("autoanalyzer", "regions", "--modes", "functions", "--cxx", "g++", "x.cc")
    shown = done.stdout.decode().partition("left out\n")[0].split()
    assert {"each<...>", "often", "element<...>", "said"} <= set(shown)
    assert "jacobian" not in shown


WEIGHTY = r"""
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>
struct Sums {
    std::vector<int> v;
    int plain() const { return std::accumulate(v.begin(), v.end(), 0); }
    template <class T> T folded(T start) const {
        return std::accumulate(v.begin(), v.end(), start, [](T a, int b) { return T(a + b); });
    }
    int size() const { return int(v.size()); }
};
int main() { Sums s{{1, 2, 3}}; std::printf("%d %g %d\n", s.plain(), s.folded(0.5), s.size()); }
"""


def test_functions_that_go_through_a_range_by_an_algorithm_are_regions(program):
    run = program(WEIGHTY)
    assert run.visits == {"main": 1, "Sums::plain": 1, "Sums::folded<...>": 1}
