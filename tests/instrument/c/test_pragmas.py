"""Pragmas stay with their loop: the guard is above those that apply to the loop, and below the others."""

import pytest

OPENMP = r"""
#include <stdio.h>
static void orphan(int n, int *sum) {
    int s = 0;
#pragma omp for
    for (int i = 0; i < n; i++)
        s += i;
#pragma omp atomic
    *sum += s;
}
int main(void) {
    int sum = 0, other = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    if (sum)
#pragma omp parallel for collapse(2) reduction(+ : sum)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                sum += i * j;
    else
        sum = 1;
#pragma omp parallel num_threads(2)
    {
        orphan(10, &other);
#pragma omp single
        for (int i = 0; i < 3; i++)
            other += i;
#pragma omp sections
        {
#pragma omp section
            for (int i = 0; i < 3; i++)
#pragma omp atomic
                other += i;
        }
    }
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++)
#pragma omp atomic
        other += i;
#pragma omp parallel
#pragma omp single nowait
    while (sum > 5000)
        sum--;
    _Pragma("omp simd reduction(+ : sum)") for (int i = 0; i < 4; i++) sum += i;
#pragma omp target map(tofrom : sum)
    {
        for (int i = 0; i < 4; i++)
            sum += i;
    }
#pragma omp target data map(sum)
    for (int i = 0; i < 4; i++)
        sum += i;
    printf("%d %d\n", sum, other);
    return 0;
}
"""


@pytest.mark.parametrize("flag", ["-fopenmp", "-O0"])
def test_openmp_loops(lab, flag):
    run = lab.run(OPENMP, flag)
    threads = 2 if flag == "-fopenmp" else 1
    visits = run.visits
    assert visits["orphan"] == visits["orphan:loop@6"] == threads
    assert visits["main:loop@39"] == threads  # each thread enters it in the parallel region
    for line in (14, 18, 27, 32, 44, 46, 53):
        assert visits[f"main:loop@{line}"] == 1
    assert lab.left_out() == {"loop@49": "runs on an accelerator"}


OTHER = r"""
#include <stdio.h>
#pragma pack(push, 1)
struct tight { char c; int i; };
#pragma pack(pop)
int main(void) {
    int n = 0;
#pragma GCC ivdep
    for (int i = 0; i < 4; i++)
        n += i;
#pragma GCC unroll 4
#pragma vendor something
    for (int i = 0; i < 4; i++)
        n += i;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused"
    while (n > 5)
        n--;
#pragma GCC diagnostic pop
    printf("%d %d\n", n, (int)sizeof(struct tight));
    return 0;
}
"""


def test_other_pragmas(lab):
    run = lab.run(OTHER)
    assert run.visits == {"main": 1, "main:loop@9": 1, "main:loop@13": 1, "main:loop@17": 1}


@pytest.mark.parametrize("standard", ["STDC FP_CONTRACT OFF", "clang fp contract(fast)"])
def test_a_pragma_that_must_open_a_block_still_does(lab, standard):
    source = f"double f(double x) {{\n#pragma {standard}\n  for (int i = 0; i < 3; i++) x *= i + x;\n  return x;\n}}\n"
    run = lab.run(source + "int main(void) { return (int)f(2.0); }\n", cc="clang")
    assert run.visits == {"main": 1, "f": 1, "f:loop@3": 1}
