"""Templates: one region per text, for all instantiations."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

TEMPLATES = r"""
#include <cstdio>
#include <initializer_list>
#include <type_traits>
template <class T, int N = 300> struct Matrix {
    T v[N];
    Matrix() { for (int i = 0; i < N; i++) v[i] = T(i); }
    template <class U> explicit Matrix(U u) { for (int i = 0; i < N; i++) v[i] = T(u); }
    template <class U> T dot(const Matrix<U, N> &o) const;
    T sum() const { T s{}; for (const T &x : v) s += x; return s; }
};
template <class T, int N> template <class U> T Matrix<T, N>::dot(const Matrix<U, N> &o) const {
    T s{};
    for (int i = 0; i < N; i++) s += v[i] * o.v[i];
    return s;
}
template <class T> struct Matrix<T *, 1> { int sum() const { int n = 9; while (n > 3) --n; return n; } };
template <> struct Matrix<char, 2> { int sum() const { int n = 9; while (n > 4) --n; return n; } };
template <class... Ts> int count(Ts... ts) { int n = 0; for (int x : {int(ts)...}) n += x; return n; }
template <class T> std::enable_if_t<std::is_integral<T>::value, T> chosen(T n) { while (n > 3) --n; return n; }
template <class T> T branched(T n) {
    if constexpr (sizeof(T) > 4) for (T i = 0; i < n; i++) n -= i; else while (n > 3) --n;
    return n;
}
template <> int count<int>(int n) { while (n > 3) --n; return n; }
template int chosen<int>(int);
int main() {
    Matrix<double> a; Matrix<int> b(4);
    std::printf("%g %d %d %d %d\n", a.dot(b), b.sum(), Matrix<int *, 1>().sum(), Matrix<char, 2>().sum(), count(1, 2L));
    std::printf("%d %d %ld\n", count(8), chosen(5) + branched(5), branched(5L));
}
"""


def test_templates_are_regions_named_by_their_text(program, cxx):
    run = program(TEMPLATES, "-std=c++17", compiler=cxx)
    names = {name.partition(":loop")[0] for name in run.visits}
    assert names == {
        "main",
        "Matrix<...>::Matrix",
        "Matrix<...>::Matrix<...>",
        "Matrix<...>::dot<...>",
        "Matrix<...>::sum",
        "Matrix<T *, 1>::sum",
        "Matrix<char, 2>::sum",
        "count<...>",
        "count",
        "chosen<...>",
        "branched<...>",
    }
    assert run.visits["branched<...>:loop@22"] == 2
    assert run.visits["Matrix<...>::dot<...>:loop@14"] == 1


HEADER = r"""
#pragma once
#include <cstdio>
namespace fe {
template <class V> double dot(const V &a, const V &b) {
    double s = 0;
    for (unsigned i = 0; i < a.size(); i++)
        s += a[i] * b[i];
    return s;
}
inline void say(double x) { while (x > 9) x /= 3; std::printf("%g\n", x); }
}
"""


def test_headers_of_the_user_are_instrumented_and_one_region_in_all_units(lab):
    lab.tool.write("inc/dot.hpp", HEADER)
    lab.tool.write(
        "y.cc",
        '#include <vector>\n#include "dot.hpp"\nvoid other() { std::vector<float> v(2, 3); fe::say(fe::dot(v, v)); }\n',
    )
    main = (
        '#include "dot.hpp"\n#include <vector>\nvoid other();\n'
        "int main() { std::vector<double> v(3, 2); fe::say(fe::dot(v, v)); other(); }\n"
    )
    run = lab.run(main, "-Iinc", "y.cc", cc="g++", name="x.cc")
    assert run.visits == {
        "main": 1,
        "fe::dot<...>:loop@7": 2,
        "fe::say": 2,
        "fe::say:loop@11": 2,
        "other": 1,
    }
    dots = {region for _, region in run.events if region.function == "fe::dot<...>"}
    assert [(region.file, region.first_line) for region in dots] == [("inc/dot.hpp", 7)]


def test_headers_of_the_system_are_not(lab):
    lab.tool.write("sys/dot.hpp", HEADER)
    main = "#include <dot.hpp>\n#include <vector>\nint main() { std::vector<int> v(3); fe::say(fe::dot(v, v)); }\n"
    assert lab.run(main, "-isystem", "sys", cc="g++", name="x.cc").visits == {"main": 1}
