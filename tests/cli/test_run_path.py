"""``run`` records the critical path by default; programs that it cannot follow run as usual."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment, load
from autoanalyzer.runtime.folder import RunFolder

from ..conftest import SPAWNING, Tool, for_several_programs, until_spawned
from .conftest import refused, succeed

# The last rank is late, by a number of work steps given as the argument.
LATE = """
#include <mpi.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
static double late(long steps) {
    volatile double x = 1;
    for (long i = 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}
int main(int argc, char **argv) {
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        late(argc > 1 ? atol(argv[1]) : 100000);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d of %d\\n", sum, size);
    fflush(stdout);
    if (argc > 2 && rank == 0)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""

# Both ranks sleep until the cost of the path is evaluated.
SLEEPS = """
#include <mpi.h>
#include <time.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""

# Both ranks meet after 0.2 s. They exchange messages before and after that, and one message from before to after.
DEAR = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static int exchange(int rank, int times) {
    int mine = rank, theirs = -1;
    for (int i = 0; i < times; i++)
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 7, &theirs, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    return theirs;
}
int main(int argc, char **argv) {
    int rank, theirs, sent;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    theirs = exchange(rank, 50);
    usleep(200000);
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&sent, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    theirs += exchange(rank, 1000);
    printf("%d\\n", theirs);
    return MPI_Finalize();
}
"""

TOO_DEAR = (
    "the critical path is known only for the beginning of the run: it was recorded until the probe library's "
    "messages took more time than --max-overhead allows (to record the whole path, use --path always)"
)
NOT_KNOWN = "the critical path is not known: some processes were not recorded, or the processes do not share a folder"


Built = Callable[..., str]

LONG = "20000000"  # steps that take longer than any disturbance of the other ranks


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return a function that returns the path of the first program, built once per compiler."""

    @cache
    def built(compiler: str = "mpicc") -> str:
        tool = Tool(tmp_path_factory.mktemp("late"))
        tool.build(LATE, compiler=compiler)
        return str(tool.folder / "app")

    return built


def launched(ranks: int, *program: str) -> list[str]:
    return ["--", "mpirun", "-n", str(ranks), *(program or ("./app",))]


def recorded(tool: Tool, *words: str, env: dict[str, str] | None = None) -> Experiment:
    """Run the program; return the recorded experiment."""
    succeed(tool("autoanalyzer", "run", "-o", "out", "--no-analyze", *words, env=env))
    return load(tool.folder / "out")


def has_path(experiment: Experiment) -> bool:
    assert ("path_time" in experiment) == (experiment.notes.path_seconds is not None)
    return "path_time" in experiment


def test_the_path_is_recorded_by_default_and_its_cost_is_measured(tool: Tool, late: Built) -> None:
    done = succeed(tool("autoanalyzer", "run", "-o", "out", "--json", "found.json", *launched(2, late(), LONG)))
    assert done.stdout == b"1 of 2\n"
    experiment = load(tool.folder / "out")
    assert has_path(experiment)
    assert np.asarray(experiment.inclusive("path_time")).sum(axis=0).argmax() == 1
    found = json.loads((tool.folder / "found.json").read_text())
    assert experiment.notes.path_seconds is not None and experiment.notes.path_seconds > 0
    wall = np.asarray(experiment.exclusive("wall_time")).sum()
    assert found["overhead"]["of_path"] == pytest.approx(100 * experiment.notes.path_seconds / wall)
    assert found["overhead"]["percent"] > found["overhead"]["of_path"]
    assert found["delays"][0]["late"]["function"] == "late"


@pytest.mark.parametrize(
    ("words", "environment", "known"),
    [
        ((), "never", False),
        (("--path", "always"), "never", True),
        (("--path", "never"), "always", False),
        (("--usage", "page_faults"), "", False),
        (("--usage", "page_faults", "--path", "auto"), "", True),
    ],
)
def test_the_option_goes_before_the_environment_and_that_before_the_default(
    tool: Tool, late: Built, words: tuple[str, ...], environment: str, known: bool
) -> None:
    experiment = recorded(tool, *words, *launched(2, late()), env={"AUTOANALYZER_PATH": environment})
    assert has_path(experiment) == known
    assert not any("critical path" in each for each in experiment.notes.remarks)


def test_another_word_in_the_environment_is_refused(tool: Tool, late: Built) -> None:
    done = tool("autoanalyzer", "run", *launched(1, late()), env={"AUTOANALYZER_PATH": "sometimes"})
    assert refused(done) == "autoanalyzer: AUTOANALYZER_PATH: expected never, auto, always, found 'sometimes'"


def test_a_program_of_one_rank_sends_nothing(tool: Tool, late: Built) -> None:
    experiment = recorded(tool, *launched(1, late()))
    assert not has_path(experiment)
    assert experiment.notes.remarks == ()
    listed = succeed(tool("autoanalyzer", "analyze", "out", "--path")).stdout.decode()
    assert "the critical path is not known: to record it, use --path auto (several ranks) or --path always" in listed


def test_a_single_rank_has_a_path_if_it_is_requested(tool: Tool, late: Built) -> None:
    experiment = recorded(tool, "--path", "always", *launched(1, late()))
    assert has_path(experiment)
    assert float(np.asarray(experiment.exclusive("path_time")).sum()) > 0


def test_what_the_program_does_is_what_it_is_without_the_path(tool: Tool, late: Built) -> None:
    of_each = [recorded(tool, "--path", each, *launched(2, late())) for each in ("never", "always")]
    for name in ("visits", "mpi_calls", "mpi_bytes"):
        values = [np.asarray(each.exclusive(name)).sum() for each in of_each if name in each]
        assert len(values) == 2 and values[0] == values[1] > 0, name


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_run_of_which_a_part_is_not_recorded_has_one_line_and_no_path(
    tool: Tool, late: Built, mpi: tuple[str, str]
) -> None:
    launcher, compiler = mpi
    parts = ["-n", "1", late(compiler), ":", "-n", "1", "env", "-u", "LD_PRELOAD", late(compiler)]
    done = tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--", for_several_programs(launcher), *parts)
    assert done.stdout == b"1 of 2\n"
    experiment = load(tool.folder / "out")
    assert not has_path(experiment)
    assert [each for each in experiment.notes.remarks if "critical path" in each] == [NOT_KNOWN]


@pytest.mark.by_day(mpi=["openmpi"])
def test_a_path_that_takes_more_than_it_may_is_given_up_by_all_and_said(tool: Tool, mpi: tuple[str, str]) -> None:
    launcher, compiler = mpi
    tool.build(DEAR, compiler=compiler)
    command = ["--", launcher, "-n", "2", "./app"]
    done = succeed(tool("autoanalyzer", "run", "-o", "out", "--no-analyze", "--max-overhead", "0.001%", *command))
    assert sorted(done.stdout.split()) == [b"0", b"2"]
    experiment = load(tool.folder / "out")
    assert [each for each in experiment.notes.remarks if "critical path" in each] == [TOO_DEAR]
    assert has_path(experiment)


def test_few_messages_of_ranks_that_sleep_are_not_too_dear(tool: Tool) -> None:
    tool.build(SLEEPS)
    experiment = recorded(tool, *launched(2))
    assert not any("critical path" in each for each in experiment.notes.remarks)
    assert has_path(experiment)


def test_processes_that_are_spawned_run_as_they_do(tool: Tool) -> None:
    """Debian's MPICH cannot spawn processes."""
    tool.build(SPAWNING.read_text(), compiler="mpicc.openmpi")
    command = ["--", "mpirun.openmpi", "--oversubscribe", "-n", "2", "./app"]
    done = until_spawned(lambda: succeed(tool("autoanalyzer", "run", "-o", "out", *command)), tool.folder / "out")
    assert done.stdout.splitlines() == [b"3 together"] * 3
    experiment = load(tool.folder / "out")
    assert has_path(experiment)
    assert [each for each in experiment.notes.remarks if "critical path" in each] == [
        "the critical path may be longer, because it does not follow communication with processes of another "
        "MPI_COMM_WORLD"
        " (MPI_Comm_spawn)"
    ]


def test_a_run_that_is_killed_keeps_its_path(tool: Tool, late: Built) -> None:
    done = tool("autoanalyzer", "run", "-o", "out", "--no-analyze", *launched(2, late(), LONG, "killed"))
    assert done.returncode == 1
    experiment = load(tool.folder / "out")
    assert experiment.notes.unfinished == (0, 1)
    assert has_path(experiment)
    assert np.asarray(experiment.inclusive("path_time")).sum(axis=0).argmax() == 1
    assert experiment.notes.path_seconds is not None and experiment.notes.path_seconds > 0


def test_repeated_runs_have_the_mean_of_their_delays(tool: Tool, late: Built) -> None:
    mean = recorded(tool, "--repeat", "2", *launched(2, late(), LONG))
    runs = [load(RunFolder(tool.folder / "out").run(number).experiment) for number in (1, 2)]
    (first, second) = ({(each.waiting, each.late): each.seconds for each in run.notes.delays} for run in runs)
    of_mean = {(each.waiting, each.late): each.seconds for each in mean.notes.delays}
    assert of_mean
    assert of_mean == pytest.approx(
        {pair: (first.get(pair, 0.0) + second.get(pair, 0.0)) / 2 for pair in {**first, **second}}
    )
    assert mean.notes.path_seconds == pytest.approx(sum(each.notes.path_seconds or 0.0 for each in runs) / 2)
