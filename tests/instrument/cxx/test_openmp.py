"""OpenMP directives stay with their loop."""

import pytest

pytestmark = pytest.mark.by_day(cxx=["g++"])

OPENMP = r"""
#include <cstdio>
int main() {
    int sum = 0, few = 4;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += i;
#pragma omp parallel
    {
#pragma omp for collapse(2) reduction(+ : sum)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) sum += i * j;
#pragma omp single
        for (int k = 0; k < 3; k++) sum += k;
#pragma omp critical
        {
            for (int k = 0; k < 3; k++) sum += k;
        }
    }
#pragma omp simd
    for (int i = 0; i < 8; i++) sum += i;
    auto f = [&] {
#pragma omp parallel for
        for (int i = 0; i < few; i++)
#pragma omp atomic
            sum += i;
    };
    f();
    std::printf("%d\n", sum);
}
"""


def test_guards_stand_above_directives_that_bind_to_a_loop(lab):
    run = lab.run(OPENMP, "-fopenmp", cc="g++", name="x.cc")
    assert run.visits["main:loop@6"] == run.visits["main:loop@20"] == run.visits["main::lambda:loop@23"] == 1
    assert run.visits["main:loop@10"] >= 1
    assert run.visits["main:loop@16"] >= 1


CONSTRUCTS = r"""
#include <cstdio>
#include <numeric>
#include <vector>
static int total;
template <class T> T add(const std::vector<T> &v) {
    T sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (unsigned i = 0; i < v.size(); i++) sum += v[i];
    return sum;
}
static void leaf(int n) {
#pragma omp parallel num_threads(2) default(none) firstprivate(n)
    n++;
}
int main() {
    int sum = 0;
    for (int step = 0; step < 3; step++) {
        if (step < 2)
#pragma omp parallel for num_threads(2) reduction(+ : sum)
            for (int i = 0; i < 4; i++) sum += i;
        else
            leaf(step);
#pragma omp parallel num_threads(2)
#pragma omp for
        for (int i = 0; i < 4; i++)
#pragma omp atomic
            total += i;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            try { throw 1; } catch (int) { }
        }
#pragma omp single nowait
        total += 2;
    }
    auto shares = [&] {
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
        }
    };
    shares();
    std::printf("%d %d %g\n", sum, total, add(std::vector<double>(5, 2)));
}
"""


def test_constructs_are_entered_by_whoever_enters_them(lab, cxx):
    assert lab.run(CONSTRUCTS, "-fopenmp", cc=cxx, name="x.cc").visits == {
        "main": 1,
        "main:loop@18": 1,
        "main:parallel for@21": 2,
        "leaf": 1,
        "leaf:parallel@13": 1,
        "main:parallel@24": 3,
        "main:for@26": 6,
        "main:parallel@30": 1,
        "main:sections@32": 2,
        "main:single@37": 2,
        "main::lambda:parallel@41": 1,
        "main::lambda@40": 1,
        "add<...>:loop@9": 1,
    }
