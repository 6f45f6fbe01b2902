"""Modes beyond functions and outermost loops."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

OLD = "-std=c++14"  # its headers are shorter

NEST = r"""
#include <cstdio>
#include <vector>
template <class T> T sum(const std::vector<std::vector<T>> &v) {
    T s = 0;
    for (auto &row : v)
        for (T x : row) s += x;
    return s;
}
int main() {
    int n = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) while (n % 5 != 4) n++;
        auto f = [&] { for (int k = 0; k < n; k++) do { n -= k; } while (n > 8); };
        f();
        do { n++; } while (0);
    }
    std::printf("%d %d\n", n, sum(std::vector<std::vector<int>>(3, {1, 2})));
}
"""


def test_inner_loops_are_numbered_after_the_outermost_ones(lab, cxx):
    run = lab.run(NEST, cc=cxx, name="x.cc", modes="inner-loops")
    assert set(run.visits) == {
        *("main", "main:loop@13", "main::lambda:loop@14", "sum<...>:loop@7"),
    }
    ordinals = {(region.function, region.name, region.ordinal) for _, region in run.events if region.kind == "loop"}
    assert ("sum<...>", "loop@7", 1) in ordinals
    assert ("main", "loop@13", 1) in ordinals
    assert ("main", "loop@13", 2) in ordinals


CALLS = r"""
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <valarray>
#include <vector>
struct File { int read(int n) { return n; } double exp(double x) { return x; } };
double user_log(double x) { return x; }
namespace mine { double sin(double x) { return x; } }
template <class T> T grow(T x) { return x + std::exp(2.0) + exp(x); }
int main() {
    using mine::sin;
    double x = 0.5, y = sizeof(exp(1.0));
    if (x > 1 && std::exp(x) > 2) std::puts("no");
    else y += x > 0 ? ::cbrt(x) : std::pow(x, 2);
    static double once = std::exp(1.0);
    constexpr int eight = 8;
    auto f = [](double z) { return std::log(z) + user_log(z); };
    for (double z = std::cos(0.0); std::atan(z) > 0.5; z -= std::tanh(z)) x += std::sqrt(x) + f(z + 1);
    std::valarray<double> c = std::exp(std::valarray<double>{1, 2});
    File file;
    char text[eight] = "";
    std::memcpy(text, std::string("abc").c_str(), 4);
    std::printf("%s\n", std::strchr(std::string("xyz").c_str(), 'y'));
    std::vector<int> v{3, 1, 3};
    v.erase(std::remove(v.begin(), v.end(), 3), v.end());
    try { y += std::stod(std::string("1")) + std::abs(-2) + mine::sin(2); throw std::strlen(text); }
    catch (std::size_t n) { y += double(n); }
    std::array<double, eight> a{std::tan(1.0)};
    y += grow(1.0) + a[0] + c[0];
    std::printf("%g %g %g %d %zu\n", x, y, once, file.read(3) + int(file.exp(1)), v.size());
    return ::getpid() == 0;
}
"""


def test_calls_of_libraries_are_regions_wherever_they_stand(lab, cxx):
    run = lab.run(CALLS, OLD, cc=cxx, name="x.cc", modes="math,library,syscall")
    visits = run.visits
    assert visits["main:tanh@24"] >= 1
    assert visits["main:atan@24"] == visits["main:tanh@24"] + 1
    counted = {name: count for name, count in visits.items() if "@24" not in name and "lambda" not in name}
    assert counted == {
        "main": 1,
        **{f"main:{name}": 1 for name in ("cbrt@20", "memcpy@28", "printf@29", "strlen@32", "tan@34", "printf@36")},
        "grow<...>:exp@15": 1,
    }
    left = lab.left_out("x.cc", "--", OLD, modes="math,library")
    assert left["exp@18"] == "in an unevaluated operand"
    assert left["exp@21"] == "its value may be needed at compile time"
    assert left["exp@25"] == "it returns an object"
    assert left["strchr@29"] == "it returns a pointer, perhaps into a temporary in the call's arguments"


ENDING = r"""
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
struct Text { std::string text; operator const char *() const { return text.c_str(); } };
Text operator+(const Text &a, const Text &b) { return Text{a.text + b.text}; }
struct Loud {
    double value;
    explicit Loud(double x) : value(x) {}
    ~Loud() { std::printf("~%g ", value); }
    operator double() const { return value; }
};
Loud operator*(const Loud &a, const Loud &b) { return Loud(a.value * b.value); }
template <class T> struct Held {
    T held[1];
    explicit Held(double x) : held{T(x)} {}
    double at() const { return held[0]; }
};
struct Point { double x, y; Point(double a, double b) : x(a), y(b) {} };
Point operator-(const Point &a, const Point &b) { return Point(a.x - b.x, a.y - b.y); }
double norm(const Point &p) noexcept { return std::exp(0.0) * p.x * p.x + p.y * p.y; }
double shown(double x) { std::printf("<%.2f> ", x); return x; }
int main() {
    Text a{"far too long for the string itself"}, b{"and so is this one"};
    std::printf("%s\n", strchr(a + b, 'f'));
    Loud two(2), half(0.5);
    shown(exp(two * half));
    double sum = shown(std::exp(Held<Loud>(1).at()));
    sum += shown(std::exp(Held<double>(1).at()));
    sum += sizeof(std::exp(1.0)) + std::exp(-norm(Point(1, 2) - Point(2, 3)));
    if (sum > 0) exp(two * half);
    for (Loud three(exp(two * half)); sum < 0;) return 1;
    double *copy = static_cast<double *>(std::memcpy((void *)std::malloc(2 * sizeof(double)), &sum, sizeof(double)));
    std::free(copy);
    if (std::FILE *none = std::fopen((a + b).text.c_str(), "r")) return std::fclose(none);
    if (sum > 0) std::memcpy(&a.text[0], (a + b).text.c_str(), 3);
    std::printf("%.3f %zu\n", sum, std::strlen((a + b).text.c_str()));
}
"""


def test_what_a_call_makes_in_its_arguments_ends_when_it_did(lab, cxx):
    run = lab.run(ENDING, OLD, cc=cxx, name="x.cc", modes="math,library")
    made = ("exp@31", "exp@32", "exp@33", "malloc@35", "fopen@37", "memcpy@38", "strlen@39")
    assert {"norm:exp@23", *(f"main:{name}" for name in made)} < set(run.visits)
    assert lab.left_out("x.cc", "--", OLD, modes="math,library") == {
        **dict.fromkeys(
            ("strchr@27", "memcpy@35"), "it returns a pointer, perhaps into a temporary in the call's arguments"
        ),
        "exp@32": "in an unevaluated operand",
        **dict.fromkeys(("exp@29", "exp@30", "exp@34"), "a temporary in the call's arguments must outlive the call"),
    }


AMONG_BRACKETS = r"""
#include <cmath>
#include <cstdio>
int main(int argc, char **) {
    double x[3] = {1, 2, 3}, y[3];
    for (int i = 0; i < 3; i++) y[i] = std::exp(x[i]);
    y[0] = x[argc] + std::exp(x[0]);
    switch (argc) {
    case 2: return 1;
    case 1: x[0] = y[1]; y[2] = std::exp(*x / 9);
    default: y[1] += std::log(y[0]);
    }
    const double some[] = {std::cos(x[2])};
    static double once[] = {std::cos(x[2])};
    y[1] += x[int(std::sin(x[1]))];
    if constexpr (sizeof(int) > 2) y[2] *= std::tanh(x[2]);
    std::printf("%g %g %g %g %g\n", y[0], y[1], y[2], some[0], once[0]);
}
"""


def test_what_is_indexed_or_a_case_before_a_call_does_not_matter(lab, cxx):
    assert lab.run(AMONG_BRACKETS, "-std=c++17", cc=cxx, name="x.cc", modes="math").visits == {
        "main": 1,
        **{"main:exp@6": 3, "main:exp@7": 1, "main:exp@10": 1, "main:log@11": 1, "main:cos@13": 1, "main:tanh@16": 1},
    }
    reason = "its value may be needed at compile time"
    assert lab.left_out("x.cc", modes="math") == {"cos@14": reason, "sin@15": reason}


ELSEWHERE = r"""
#include <cmath>
#include <cstdio>
struct Grown { double value, more = std::cos(0.5); Grown(double x = std::cbrt(8.0)) : value(std::exp(x)) {} };
template <class T> T both(T x) { return std::sin(x) + sinh(x) + std::tanh(2.0); }
int main() {
    struct Local { double value; Local(double x) : value(std::log(x)) {} } local(8);
    std::printf("%g\n", Grown(1).value + both(1.0) + local.value);
}
"""


def test_calls_outside_of_bodies_and_of_unknown_functions_are_named(lab, cxx):
    run = lab.run(ELSEWHERE, OLD, cc=cxx, name="x.cc", modes="math")
    assert run.visits == {"main": 1, "both<...>:tanh@5": 1}
    outside, unknown = "outside the body of its function", "not known before instantiation"
    assert lab.left_out("x.cc", "--", OLD, modes="math") == {
        **dict.fromkeys(("cbrt@4", "exp@4", "log@7"), outside),
        **dict.fromkeys(("sin@5", "sinh@5"), unknown),
    }


MPI = r"""
#include <mpi.h>
#include <cstdio>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, all = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        if (MPI_Allreduce(&i, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    std::printf("%d\n", all + rank);
}
"""


def test_calls_of_mpi_are_regions_where_they_stand(lab):
    flags = ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]  # the C++ interface takes long to compile, and is not used
    run = lab.run(MPI, *flags, cc="mpicxx", name="x.cc", modes="mpi")
    assert run.visits == {"main": 1, "main:MPI_Allreduce@9": 3, "main:MPI_Barrier@10": 1}


MARKED = r"""
#include <cstdio>
struct Text { const char *at; Text(const char *text) : at(text) {} ~Text() { at = ""; } int size() { return 3; } };
int read(int n) {
#pragma autoanalyzer begin set-up
    Text text("abc");
    int k = n;
#pragma autoanalyzer end set-up
    for (int i = 0; i < 2; i++) {
#pragma autoanalyzer begin step
        k += text.size();
        if (k > 12) throw "full";
#pragma autoanalyzer end
    }
    auto f = [&] {
        #pragma autoanalyzer begin inside
        k++;
        #pragma autoanalyzer end inside
    };
    f();
    return k;
}
int main() {
    try { std::printf("%d ", read(1)); read(9); } catch (const char *e) { std::printf("%s\n", e); }
#pragma autoanalyzer begin alone
}
"""


def test_what_the_user_marks_is_a_region_and_its_declarations_live_on(lab, cxx):
    run = lab.run(MARKED, cc=cxx, name="x.cc", quiet=False)
    assert "alone is not instrumented: has no end in its function" in run.messages
    marked = {name: count for name, count in run.visits.items() if "@" not in name}
    assert marked == {"main": 1, "read": 2, "read:set-up": 2, "read:step": 4, "read::lambda:inside": 1}


PLANNED = r"""
#include <cstdio>
int work(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += i;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) s -= k;
    if (s > 2) { s -= 2; std::printf("%d ", s); }
    try { s++; } catch (...) { s--; }
    return s;
}
struct Small { int get() const { return work(1); } };
int main() { std::printf("%d %d\n", work(4), Small().get()); }
"""


def test_a_plan_excludes_includes_merges_and_splits(lab, cxx):
    plan = """
    [[exclude]]
    function = "main"
    [[include]]
    function = "Small::get"
    [[merge]]
    function = "work"
    regions = ["loop#0", "loop#1"]
    name = "both"
    """
    run = lab.run(PLANNED, cc=cxx, name="x.cc", plan=plan)
    assert run.visits == {"work": 2, "Small::get": 1, "work:both": 2}
    run = lab.run(PLANNED, cc=cxx, name="x.cc", plan='[[split]]\nfunction = "work"\nname = "loop@6"\n')
    assert run.visits["work:loop@7"] == 5
    run = lab.run(
        PLANNED, cc=cxx, name="x.cc", plan='[[split]]\nfunction = "work"\ninto = "blocks"\nkind = "function"\n'
    )
    assert {name.partition(":")[2] for name in run.visits} >= {"block@8", "block@9"}


def test_what_a_plan_eliminates_leaves_what_lies_in_it(lab, cxx):
    plan = """
    modes = ["functions", "outer-loops", "inner-loops"]
    [[eliminate]]
    function = "work"
    name = "loop@6"
    [[eliminate]]
    name = "main"
    """
    run = lab.run(PLANNED, cc=cxx, name="x.cc", plan=plan)
    assert run.visits == {"work": 2, "work:loop@5": 2, "work:loop@7": 5}
    assert lab.left_out("x.cc", plan=plan)["loop@6"] == "eliminated by the plan"
