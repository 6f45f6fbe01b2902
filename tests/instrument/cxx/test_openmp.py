"""Directives stay with their loop."""

OPENMP = r"""
#include <cstdio>
int main() {
    int sum = 0;
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
        for (int i = 0; i < 4; i++)
#pragma omp atomic
            sum += i;
    };
    f();
    std::printf("%d\n", sum);
}
"""


def test_guards_stand_above_directives_that_bind_to_a_loop(lab):
    run = lab.run(OPENMP, "-fopenmp", cc="g++", name="x.cc")
    assert run.nesting_is_clean
    assert run.visits["main:loop@6"] == run.visits["main:loop@20"] == run.visits["main::lambda:loop@23"] == 1
    assert run.visits["main:loop@10"] >= 1
    assert run.visits["main:loop@16"] >= 1
