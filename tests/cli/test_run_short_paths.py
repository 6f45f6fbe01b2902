"""``run --counters``: regions that the timed run throttled are not counted separately, and the sums stay the same."""

from __future__ import annotations

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.experiment.throttling import left_out

# Branches in the loop prevent the region from being left out at build time.
C = """
#include <pthread.h>
#include <stdio.h>

static int table[64];

__attribute__((noinline)) static int inner(int x, int n) {
    for (int i = 0; i < n; i++)
        x += table[(x + i) & 63] & 3 ? 1 : 2;
    return x;
}

__attribute__((noinline)) static int tiny(int x, int n) {
    if (x & 64)
        table[n] += inner(x, n);
    for (int i = 0; i < n; i++)
        x += table[(x + i) & 63];
    return x * 3 + 1;
}

static void *work(void *steps) {
    static __thread int x;
    for (long i = 0; i < *(long *)steps; i++)
        x = tiny(x, i & 1);
    return NULL;
}

int main(void) {
    long steps = 60000;
    pthread_t thread;
    pthread_create(&thread, NULL, work, &steps);
    pthread_join(thread, NULL);
    work(&steps);
    printf("%d\\n", table[0]);
    return 0;
}
"""

OPENMP = """
#include <stdio.h>

__attribute__((noinline)) static long sum(const int *of, int n) {
    long all = 0;
#pragma omp parallel for reduction(+ : all)
    for (int i = 0; i < n; i++)
        all += of[i] & 1 ? of[i] : 1;
    return all;
}

int main(void) {
    static int of[64];
    long all = 0;
    for (int i = 0; i < 9000; i++)
        all += sum(of, 2 + (i & 1));
    printf("%ld\\n", all);
    return 0;
}
"""

FORTRAN = """
subroutine tiny(x, n)
  integer, intent(inout) :: x
  integer, intent(in) :: n
  integer :: i
  do i = 1, n
    if (iand(x, 3) == 0) then
      x = x / 2 + i
    else
      x = x + 3
    end if
  end do
end subroutine

subroutine work(x, steps)
  integer, intent(inout) :: x
  integer, intent(in) :: steps
  integer :: i
  do i = 1, steps
    call tiny(x, iand(i, 1))
  end do
end subroutine

program main
  integer :: x = 1
  call work(x, 60000)
  print *, x
end program
"""


def counted(tool, share: str) -> Experiment:
    done = tool(
        *("autoanalyzer", "run", "-o", "out", "--counters", "simulated", "--no-analyze", "--", "./app"),
        # Counting threads that wait busily would take a minute.
        env={"AUTOANALYZER_MAX_OVERHEAD": share, "OMP_WAIT_POLICY": "passive"},
    )
    assert done.returncode == 0, done.stderr.decode()
    return load(tool.folder / "out" / "experiment.cube")


def check(tool) -> None:
    """Compare counts with all regions and counts without the short ones."""
    all_measured, some = counted(tool, "off"), counted(tool, "1%")
    assert all_measured.notes.throttled == {}
    assert {rule.pattern.function for rule in left_out(some)} >= {"tiny"}
    for name in ("instructions", "l1_accesses", "l1_misses", "l2_misses"):
        # The root, which starts up and prints, differs between runs.
        expected = all_measured.exclusive(name)[1:].sum(axis=0)
        assert some.exclusive(name)[1:].sum(axis=0).tolist() == expected.tolist()
    assert not [
        remark for remark in some.notes.remarks if "entered" in remark and "counting run" in remark
    ]  # all regions have equal visits in both runs


def test_counts_of_threads_are_the_same(tool):
    tool.write("app.c", C)
    assert tool("aa-mpicc", "-O2", "app.c", "-o", "app", "-lpthread").returncode == 0
    check(tool)


def test_counts_of_fortran_are_the_same(tool):
    tool.write("app.f90", FORTRAN)
    assert tool("aa-mpifort", "-O2", "app.f90", "-o", "app").returncode == 0
    check(tool)


def test_teams_of_what_is_short_are_entered_as_often(tool):
    tool.write("app.c", OPENMP)
    assert tool("aa-mpicc", "-O2", "-fopenmp", "app.c", "-o", "app").returncode == 0
    some = counted(tool, "0.001%")
    assert some.notes.throttled
    assert not [remark for remark in some.notes.remarks if "entered" in remark and "counting run" in remark]
