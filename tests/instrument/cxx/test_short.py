"""Inline functions and their loops that execute few statements, and would cost no more than a probe."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

OLD = "-std=c++14"  # its headers are shorter

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
inline double unknown(double *x, int n) { for (int i = 0; i < n; i++) x[i] += 1; return x[0]; }
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
    for (int i = 0; i < 2; i++) std::printf("%g\n", element(x) + each(x, 3) + said(x) + unknown(x, 2) + often(x));
    std::printf("%g %d %d\n", moved(x) + plain(x), deeper(3), l.areas());
}
"""


def test_what_constants_bound_is_left_out_where_it_is_inline(program, lab, cxx):
    run = program(SHORT, compiler=cxx)
    reasons = lab.left_out("x.cc")
    assert {reasons[name] for name in ("jacobian", "loop@8", "loop@9", "loop@21")} == {
        "short: at most 200 statements are executed"
    }
    alone = {"each<...>", "unknown", "often", "element<...>", "moved"}
    assert {reasons[name] for name in alone} == {"short: inline, at most 20 statements are executed outside its loops"}
    loops = {name.partition(":loop")[0]: count for name, count in run.visits.items() if ":loop" in name}
    assert loops == {
        **{"main": 1, "element<...>": 2, "each<...>": 2, "said": 2, "unknown": 2, "often": 2, "moved": 1},
        **{"plain": 1, "deeper": 1, "Shape::areas": 1, "Large::area": 2},
    }


def test_without_loops_functions_have_their_time(lab):
    lab.tool.write("x.cc", SHORT)
    done = lab.tool("autoanalyzer", "regions", "--modes", "functions", "--cxx", "g++", "x.cc")
    shown = done.stdout.decode().partition("left out\n")[0].split()
    assert {"each<...>", "often", "element<...>", "said"} <= set(shown)
    assert "jacobian" not in shown


NOT_COUNTED = r"""
int g, at[8];
void set(int &);
inline void passed() { for (int i = 0; i < 8; i++) set(i); }
inline void referred() { for (int i = 0; i < 8; i++) { int &r = i; r--; } }
inline void captured() { int i; auto back = [&] { i--; }; for (i = 0; i < 8; i++) if (g) back(); }
inline void fresh(int n) { for (int i = 0; i < 3; i++) delete[] new double[n](); }
inline void many() { for (int i = 0; i < 3; i++) { double v[40] = {}; g += v[g & 7]; } }
template <int N> void from() { for (int i = N; i < 8; i++) g++; }
template <int N> void by() { for (int i = 0; i < 8; i += N) g++; }
template <int N> void to() { for (int i = 0; i < N; i += 2) g += at[(i)] + i; }
int main() { from<-1000>(); from<7>(); by<1>(); to<7>(); }
"""


def test_only_what_is_plainly_counted_has_trips(lab):
    lab.tool.write("x.cc", NOT_COUNTED)
    assert [name for name in lab.left_out("x.cc") if name.startswith("loop@")] == ["loop@11"]


WEIGHTY = r"""
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
    assert program(WEIGHTY).visits == {"main": 1, "Sums::plain": 1, "Sums::folded<...>": 1}


FIXED = r"""
#include <array>
#include <cstddef>
#include <cstdio>
#include <vector>
template <class T, std::size_t N> struct Vec {
    std::array<T, N> v{};
    T old[N] = {};
    enum { last = N - 1 };
    static constexpr std::size_t twice = 2 * N;
    static constexpr std::size_t size() { return N; }
    Vec &operator+=(const Vec &o) {
        for (std::size_t i = 0; i < N; ++i) v[i] += o.v[i];
        return *this;
    }
    friend Vec operator*(T s, Vec a) {
        for (auto &x : a.v) x *= s;
        return a;
    }
    T norm() const {
        T s{};
        for (auto x : v) s += x * x;
        for (const T &x : old) s += x;
        for (std::size_t i = 0; i < size(); ++i) s += old[i];
        for (std::size_t i = 0; i < v.size(); ++i) s += v[i];
        for (int i = 0; i < last; ++i) s += v[i];
        for (std::size_t i = 0; i < twice; ++i) s += v[i / 2];
        for (std::size_t i = 0; i < sizeof(old) / sizeof(old[0]); ++i) s += old[i];
        return s;
    }
    void clear();
};
template <class T, std::size_t N> inline void Vec<T, N>::clear() {
    for (std::size_t i = 0; i < N; ++i) v[i] = old[i] = 0;
}
template <class T, int N, int M> struct Matrix {
    std::vector<T> a = std::vector<T>(N * M);
    T trace() const { T s = 0; for (int i = 0; i < N; ++i) s += a[i]; return s; }
    T few() const { T s = 0; for (int i = 0; i < M; ++i) s += a[i]; return s; }
    template <class U> T scaled(U by) const;
    T sum() const { T s = 0; for (int i = 0; i < M; ++i) for (int j = 0; j < M * M; ++j) s += a[i + j]; return s; }
};
template <class T, int N, int M> template <class U> T Matrix<T, N, M>::scaled(U by) const {
    T s = 0;
    for (int i = 0; i < N; ++i) s += by * a[i];
    return s;
}
template <int N> struct Sized {
    int n = N < 0 ? 3 : N;
    int count() const { int s = 0; for (int i = 0; i < n; ++i) s += i; return s; }
    int square() const { int s = 0; for (int i = 0; i < N * N; ++i) s += i; return s; }
};
template <class T> struct Dynamic { std::vector<T> v; T sum() const { T s = 0; for (T x : v) s += x; return s; } };
template <class... A> int count(A... a) {
    int s = 0;
    for (std::size_t i = 0; i < sizeof...(A); ++i) s += int(sizeof(s));
    return (s + ... + a);
}
template <int N> int times(int (&a)[N]) { int s = 0; for (int x : a) s += x; return s; }
struct Base { virtual ~Base() = default; virtual int n() const { return 2; } };
struct Real : Base { int n() const override { return 5; } };
inline int asked(const Base &b) { int s = 0; for (int i = 0; i < b.n(); ++i) s += i; return s; }
int main() {
    Vec<double, 3> a, b;
    a.v = {1, 2, 3};
    a += 2.0 * a;
    Matrix<double, 4096, 5> m;
    Sized<-1> open;
    Dynamic<int> d{{1, 2, 3}};
    int few[3] = {1, 2, 3}, many[300] = {};
    b.clear();
    std::printf("%g %g %g %g %g\n", a.norm(), m.trace(), m.few(), m.sum(), m.scaled(2));
    std::printf("%d %d %d\n", open.count(), open.square(), d.sum());
    std::printf("%d %d %d %d\n", count(1, 2), times(few), times(many), asked(Real()));
}
"""


def test_arrays_and_arguments_of_templates_bound_loops_by_the_largest_there_is(program, lab, cxx):
    run = program(FIXED, "-std=c++17", compiler=cxx)
    reasons = lab.left_out("x.cc", "--", "-std=c++17")
    short = {name for name, reason in reasons.items() if reason == "short: at most 200 statements are executed"}
    vector = {"Vec<...>::operator+=", "operator*", "Vec<...>::norm", "Vec<...>::clear"}
    assert short >= {*vector, "Matrix<...>::few", "count<...>"}
    assert {name.partition(":loop")[0]: count for name, count in run.visits.items()} == {
        **{
            "main": 1,
            "Matrix<...>::trace": 1,
            "Matrix<...>::sum": 1,
            "Matrix<...>::scaled<...>": 1,
            "Dynamic<...>::sum": 1,
        },
        **{"Sized<...>::count": 1, "Sized<...>::square": 1, "times<...>": 2, "asked": 1},
    }


def test_what_is_short_comes_back_where_a_plan_names_it(lab):
    plan = '[[include]]\nfunction = "Vec<...>::operator+="\n[[include]]\nname = "Matrix<...>::few"\n'
    run = lab.run(FIXED, "-std=c++17", cc="g++", name="x.cc", plan=plan)
    assert {"Vec<...>::operator+=:loop@13", "Matrix<...>::few"} <= set(run.visits)


WITHIN = r"""
#include <cstdio>
#include <vector>
template <int N> double kernel(double *x) { double s = 0; for (int i = 0; i < N; ++i) s += x[i]; return s; }
template <int N> struct Solver {
    std::vector<double> x = std::vector<double>(N, 1.0);
    double run() { return kernel<N>(x.data()); }
};
int main() { Solver<COUNT> s; std::printf("%g\\n", s.run()); }
"""


@pytest.mark.parametrize(("count", "visits"), [(9, {"main": 1}), (90000, {"main": 1, "kernel<...>:loop@4": 1})])
def test_what_only_templates_give_counts_as_the_largest_that_they_are_given(program, count, visits):
    assert program(WITHIN, f"-DCOUNT={count}").visits == visits


LIBRARY = r"""
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
double limited(double a, double b) { return std::max(-0.5, std::min(0.5, a / b)) + std::abs(a); }
double least(double a, double b, double c) { return std::min({a, b, c}); }
double ordered(std::vector<double> &v) { std::sort(v.begin(), v.end()); return v[0]; }
namespace own { double max(double a, double b) { while (a < b) a += 1; return a; } }
double reached(double a) { return own::max(a, 2.0); }
int main() {
    std::vector<double> v{2, 1};
    std::printf("%g %g %g %g\n", limited(1, 4), least(3, 2, 1), ordered(v), reached(1));
}
"""


def test_what_one_block_of_a_header_of_the_library_does_counts_as_its_statements(program, lab, cxx):
    run = program(LIBRARY, OLD, compiler=cxx)
    assert set(run.visits) == {"main", "least", "ordered", "own::max", "own::max:loop@9", "reached"}
    assert lab.left_out("x.cc", "--", OLD)["limited"] == "tiny: no loop, no call, at most 20 statements"
