"""``timeline`` on several kinds of programs: threads, two programs in one job, Fortran, throttled regions."""

import json

import numpy as np
import pytest

from autoanalyzer.experiment import load
from autoanalyzer.experiment.trace import load_trace

from ..conftest import for_several_programs

# In each rank, thread 1 has twice as much work from the middle of the steps on.
THREADS = """
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static double work(long count) {
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

static double part(int step) {
    return work(omp_get_thread_num() == 1 && step >= 75 ? 1600000 : 800000);
}

int main(int argc, char **argv) {
    double sum = 0;
    int given;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    for (int step = 0; step < 150; step++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += part(step);
    }
    printf("%d\\n", sum > 0);
    MPI_Finalize();
    return 0;
}
"""

# Two programs wait for each other; if it GROWS, MODEL has twice as much work from the middle of the steps on.
MODEL = """
#include <mpi.h>
#include <stdio.h>

static double work(long count) {
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

static double MODEL(int step) {
    return work(GROWS && step >= 75 ? 1600000 : 800000);
}

int main(int argc, char **argv) {
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 150; step++) {
        sum += MODEL(step);
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("%d\\n", total > 0);
    MPI_Finalize();
    return 0;
}
"""

FORTRAN = """
program steps
  use mpi
  implicit none
  integer :: step, error
  double precision :: total, all
  total = 0
  call MPI_Init(error)
  do step = 1, 150
    call advance(merge(1600000, 800000, step > 75), total)
    call MPI_Allreduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  print '(l1)', all > 0
  call MPI_Finalize(error)
contains
  subroutine advance(count, total)
    integer, intent(in) :: count
    double precision, intent(inout) :: total
    integer :: i
    do i = 1, count
      total = total + 1.0d0 / i
    end do
  end subroutine advance
end program steps
"""

# One region is entered so often that it is throttled.
SMALL = """
#include <mpi.h>
#include <stdio.h>

static double add(double s, int n) {
    for (int k = 1; k < n; k++)
        s += 1.0 / k;
    return s;
}

static double work(long count) {
    double sum = 0;
    for (long i = 0; i < count; i++)
        sum = add(sum, i % 3);
    return sum;
}

int main(int argc, char **argv) {
    double sum = 0, total;
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 150; step++) {
        sum += work(step < 75 ? 400000 : 1600000);
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("%d\\n", total > 0);
    MPI_Finalize();
    return 0;
}
"""


def changes(tool, *command, options=()):
    """Record a run, check that its time lines add up; return the printed text, the changes and the trace."""
    done = tool("autoanalyzer", "run", "--trace", "0.002", "--no-analyze", "-o", "out", *options, "--", *command)
    assert done.returncode == 0, done.stderr
    trace, experiment = load_trace(tool.folder / "out" / "trace.npz"), load(tool.folder / "out" / "experiment.cube")
    assert len(trace.locations) == len(experiment.locations)
    for place, line in enumerate(trace.lines()):
        visits = np.zeros(len(trace.call_paths))
        np.add.at(visits, line.paths[line.paths >= 0], line.visits[line.paths >= 0])
        assert visits.tolist() == experiment.exclusive("visits")[:, place].tolist()
    found = tool("autoanalyzer", "timeline", "out", "--json", "o.json")
    assert found.returncode == 0, found.stderr
    document = json.loads((tool.folder / "o.json").read_text())
    return found.stdout.decode(), [*document["anomalies"], *document["uncertain"]], trace


def half_way(trace, name):
    """Return when a region's entries reach half of their number, on the first location that enters it."""
    path = [each.region.function for each in trace.call_paths].index(name)
    for line in trace.lines():
        mine = line.paths == path
        if line.visits[mine].sum():
            entered = np.cumsum(np.bincount(line.samples[mine], line.visits[mine], len(line)))
            return line.end[np.searchsorted(entered, entered[-1] / 2)]
    raise AssertionError(name)


def test_threads_that_become_slower_are_named(tool):
    tool.build(THREADS, "-fopenmp")
    said, found, trace = changes(tool, "mpirun", "-n", "1", "./app")
    assert len(trace.locations) == 2
    first = found[0]
    assert (first["function"], first["ranks"], first["threads"]) == ("work", [0], ["0.1"])
    assert first["factor"] == pytest.approx(2, rel=0.25)
    assert first["start"] == pytest.approx(half_way(trace, "part"), rel=0.25)
    assert "on thread 0.1\n" in said


@pytest.mark.by_day(mpi=["openmpi"])
def test_of_two_programs_the_one_that_changes_is_named_under_both_mpis(tool, mpi):
    launcher, compiler = mpi
    for name, grows in (("ice", 0), ("ocean", 1)):
        tool.build(MODEL, f"-DMODEL={name}", f"-DGROWS={grows}", compiler=compiler)
        (tool.folder / "app").rename(tool.folder / name)
    said, found, trace = changes(tool, for_several_programs(launcher), "-n", "1", "./ice", ":", "-n", "1", "./ocean")
    first = found[0]
    assert (first["function"], first["ranks"], first["threads"]) == ("work", [1], [])
    assert "‹ ocean\n" in said
    assert first["factor"] == pytest.approx(2, rel=0.25)
    assert first["start"] == pytest.approx(half_way(trace, "ocean"), rel=0.25)


def test_fortran(tool):
    tool.write("steps.f90", FORTRAN)
    assert tool("aa-mpifort", "-O1", "-g", "steps.f90", "-o", "app").returncode == 0
    _, found, trace = changes(tool, "mpirun", "-n", "2", "./app")
    assert (found[0]["function"], found[0]["ranks"]) == ("steps::advance", [0, 1])
    assert found[0]["start"] == pytest.approx(half_way(trace, "steps::advance"), rel=0.25)


def test_where_regions_are_throttled_their_callers_are_followed(tool):
    tool.build(SMALL)
    _, found, trace = changes(tool, "mpirun", "-n", "2", "./app", options=["--max-overhead", "0.1%"])
    assert load(tool.folder / "out" / "experiment.cube").notes.throttled
    # Other programs also affect such small functions, and can turn the change into a gradual one that begins before the
    # middle.
    half = pytest.approx(half_way(trace, "work"), rel=0.5)
    of_work = [(each["factor"], each["start"]) for each in found if each["function"] == "work"]
    assert any(2 < factor < 8 and start == half for factor, start in of_work), of_work
