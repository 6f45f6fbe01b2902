"""``run --trace``: time lines of real runs add up to their profiles."""

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from autoanalyzer.experiment import load
from autoanalyzer.experiment.trace import TimeLine, Trace, load_trace

from ..conftest import Tool

PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double first(long steps) {
    double sum = 0;
    for (long i = 0; i < steps; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

static double second(long steps) {
    double sum = 0;
    for (long i = 0; i < steps; i++)
        sum += 2.0 / (i + 1);
    return sum;
}

int main(int argc, char **argv) {
    int rank = 0;
    double sum = 0, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 60; step++) {
        sum += step < 30 ? first(20000) : second(20000);
        usleep(2000); /* so that a sample is due, however fast the machine is */
        MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (step == 50 && rank == 1 && argc > 1)
            raise(SIGKILL);
    }
    if (rank == 0)
        printf("total %.6f\\n", total);
    MPI_Finalize();
    return 0;
}
"""
WITHOUT_MPI = re.sub(r".*MPI_.*\n", "", PROGRAM)  # counting takes a fifth of the time

SUMS = ("visits", "mpi_time", "mpi_collective_time", "mpi_calls", "mpi_bytes", "io_bytes", "wall_time", "instructions")


def check(trace: Trace, lines: list[TimeLine], experiment) -> None:
    """Assert that time lines add up to the profile, except for time before main, which only time lines have."""
    assert [(each.process, each.thread) for each in trace.locations] == [
        (each.process, each.thread) for each in experiment.locations
    ]
    assert list(trace.call_paths) == list(experiment.call_paths)
    for name in SUMS:
        if name in experiment and name in {metric.name for metric in trace.metrics}:
            whole = experiment.exclusive(name).sum(axis=0)
            found = np.array([line.values[:, trace.column(name)].sum() for line in lines])
            if name == "wall_time":
                assert (found >= whole - 1e-6).all()
            elif name != "instructions":
                assert found == pytest.approx(whole, rel=1e-6, abs=1e-6), name
    for place, line in enumerate(lines):
        for path in range(len(trace.call_paths)):
            assert line.visits[line.paths == path].sum() == experiment.exclusive("visits")[path, place]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Return a function that returns the program, built once per compiler; with an argument, a rank of it is killed."""

    @cache
    def built(compiler: str = "mpicc", text: str = PROGRAM) -> str:
        tool = Tool(tmp_path_factory.mktemp("program"))
        tool.build(text, compiler=compiler)
        return str(tool.folder / "app")

    return built


def test_time_lines_add_up_to_the_profile_under_both_mpis(tool, program, mpi):
    launcher, compiler = mpi
    done = tool("autoanalyzer", "run", "--trace", "0.002", "-o", "out", "--", launcher, "-n", "3", program(compiler))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"total ")
    trace = load_trace(tool.folder / "out" / "trace.npz")
    lines = [*trace.lines()]
    check(trace, lines, load(tool.folder / "out" / "experiment.cube"))
    assert min(map(len, lines)) >= 15
    names = [path.region.name for path in trace.call_paths]
    for line in lines:  # one sample may contain the end of the first and the beginning of the second
        in_first, in_second = (
            line.samples[(line.paths == names.index(name)) & (line.visits > 0)] for name in ("first", "second")
        )
        assert in_first.max() <= in_second.min()


def test_the_time_lines_of_a_killed_run_are_kept(tool, program, mpi):
    launcher, compiler = mpi
    done = tool(
        "autoanalyzer", "run", "--trace", "0.002", "-o", "out", "--", launcher, "-n", "2", program(compiler), "killed"
    )
    assert done.returncode == 1
    trace = load_trace(tool.folder / "out" / "trace.npz")
    check(trace, [*trace.lines()], load(tool.folder / "out" / "experiment.cube"))
    assert 1 in trace.facts["unfinished"]


def test_the_counting_run_has_a_trace_of_its_own(tool, program, browse):
    program = program(text=WITHOUT_MPI)
    command = ("run", "--trace", "--counters", "simulated", "-o", "out", "--", program)
    done = tool("autoanalyzer", *command)
    assert done.returncode == 0, done.stderr
    counted = load_trace(tool.folder / "out" / "counting.trace.npz")
    experiment = load(tool.folder / "out" / "experiment.cube")
    for place, line in enumerate(counted.lines()):
        values = line.values[:, counted.column("instructions")]
        whole = experiment.exclusive("instructions")[:, place].sum()
        assert values.sum() == pytest.approx(whole, rel=0.05)  # code before main is in no region
    timed = load_trace(tool.folder / "out" / "trace.npz")
    assert "instructions" not in {metric.name for metric in timed.metrics}
    assert tool("autoanalyzer", "view", "out", "-o", "report.html").returncode == 0
    shown = browse(tool.folder / "report.html")
    assert shown.complaints == []
    assert "no time lines" not in shown.text
    again = tool("autoanalyzer", "run", "-o", "out", "--", program)
    assert again.returncode == 0
    assert not [*(tool.folder / "out").glob("*.npz")]  # of the previous run


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--trace", "0"), "expected a number of seconds from 0.001 to 3600, found '0'"),
        (
            ("--trace", "mpirun"),
            "expected a number of seconds from 0.001 to 3600, found 'mpirun'; put the command after --",
        ),
        (("--trace-memory", "16M"), "--trace-memory needs --trace"),
        (("--trace", "--trace-memory", "1K"), "expected a size of at least 1M, such as 64M, found '1K'"),
    ],
)
def test_options_that_cannot_be_are_refused(here, options, said):
    done = here("run", *options, "--", "mpirun", "-n", "2", "./app")
    assert done.returncode == 2
    assert said in done.stderr.decode()
