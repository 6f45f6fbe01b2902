"""With OpenMP, constructs that each thread of a team enters are regions, too."""

CONSTRUCTS = r"""
#include <stdio.h>
static int total;
static void leaf(int n) {
#pragma omp parallel num_threads(2) default(none) firstprivate(n)
    n++;
}
int main(void) {
    int sum = 0;
    for (int step = 0; step < 3; step++) {
        if (step < 2)
#pragma omp parallel for num_threads(2) reduction(+ : sum) \
    schedule(static)
            for (int i = 0; i < 4; i++)
                sum += i;
        else
            leaf(step);
#pragma omp parallel num_threads(2)
#pragma omp for simd
        for (int i = 0; i < 4; i++)
#pragma omp atomic
            total += i;
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                total++;
            }
        }
#pragma omp single nowait
        total += 2;
#pragma omp master
        sum++;
#pragma omp critical(name)
        sum += 0;
#pragma omp barrier
    }
    _Pragma("omp parallel sections num_threads(2)")
    {
#pragma omp section
        sum++;
#pragma omp section
        sum += 0;
    }
#pragma omp parallel num_threads(1)
    do {
        sum++;
    } while (sum < 10);
#pragma omp target map(tofrom : sum)
#pragma omp parallel num_threads(2)
    ;
    printf("%d %d\n", sum, total);
    return 0;
}
"""


def test_constructs_are_entered_by_whoever_enters_them(lab):
    assert lab.run(CONSTRUCTS, "-fopenmp").visits == {
        "main": 1,
        "main:loop@10": 1,
        "main:parallel for@14": 2,
        "leaf": 1,
        "leaf:parallel@5": 1,
        "main:parallel@18": 3,
        "main:for simd@20": 6,
        "main:parallel@24": 1,
        "main:sections@26": 2,
        "main:single@34": 2,
        "main:parallel sections@42": 1,
        "main:parallel@49": 1,
        "main:loop@50": 1,
    }
    assert lab.left_out("x.c", "--", "-fopenmp")["parallel@54"] == "runs on an accelerator"


def test_without_threads_loops_alone_are_regions(lab):
    assert lab.run(CONSTRUCTS).visits == {"main": 1, "main:loop@10": 1, "main:loop@50": 1}
