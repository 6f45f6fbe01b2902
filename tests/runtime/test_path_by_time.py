"""The critical path by CPU time, of programs for which it is known, while other programs keep the cores busy.

A unit of work takes more CPU time on some cores, and at some moments, than on others. Lengths are therefore compared in
units of the same shape in the same run: the ranks' time in it, divided by the units that they executed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from autoanalyzer.experiment import Experiment
from autoanalyzer.runtime.facts import RunFacts
from autoanalyzer.runtime.gather.merge import merge_shards

from ..conftest import run
from .conftest import PROGRAMS, recorded
from .path_shapes import SHAPES, Severity, in_units, of_functions, of_parts

pytestmark = pytest.mark.measured

CLOSE: Final = 0.02
TRIES: Final = 3
BUSY: Final = 6  # number of other programs
LONG: Final = "-DUNIT=500000"  # a unit takes two milliseconds


@contextmanager
def busy_machine() -> Iterator[None]:
    """Run other programs that keep the cores busy during the block."""
    others = [subprocess.Popen(["sh", "-c", "while kill -0 $PPID; do :; done"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.wait()


def built(source: Path, folder: Path, *flags: str) -> Path:
    words = ["mpicc.openmpi", "-O1", "-g", *flags, str(source), "-o", source.stem]
    run(["autoanalyzer", "compile", "--", *words], folder).check_returncode()
    return folder / source.stem


def timed(program: Path, ranks: int, folder: Path, *words: str, **variables: str) -> tuple[Experiment, str]:
    """Run a program with the path; return its experiment and output."""
    folder.mkdir()
    command = ["mpirun.openmpi", "--oversubscribe", "-n", str(ranks), str(program), *words]
    found = recorded(command, folder, AUTOANALYZER_PATH="always", **variables)
    return merge_shards(found.shards, RunFacts()), found.output


def busy_time(experiment: Experiment) -> Severity:
    """Return busy time in seconds per call path and location, as defined for the path."""
    time = np.asarray(experiment.exclusive("cpu_time")).copy()
    for metric, sign in {"mpi_cpu_time": -1, "omp_cpu_time": -1, "io_cpu_time": -1, "io_time": 1}.items():
        if metric in experiment:
            time += sign * np.asarray(experiment.exclusive(metric))
    return time


def units_of(experiment: Experiment, shape: str, done: Sequence[int]) -> list[float]:
    """Return the seconds per unit of a shape's work, on each rank that executed some."""
    parts = of_parts(experiment, busy_time(experiment), shape, range(len(done)))
    worked = [sum(value for (_, own), value in parts.items() if own == rank) for rank in range(len(done))]
    return [seconds / units for seconds, units in zip(worked, done, strict=True) if units]


def outside(value: float, least: float, most: float) -> float:
    """Return how far a value is below the lower or above the upper limit, as a share of the limit."""
    return min(value / least - 1, 0.0) if value < most else value / most - 1


def errors_of_shapes(program: Path, ranks: int, folder: Path) -> dict[str, float]:
    """Return how much each shape's path differs from theory, as a share of it.

    If ranks do the same work, the slowest is on the path. So the time per unit is between the mean and that of the
    slowest rank.
    """
    experiment, output = timed(program, ranks, folder, *SHAPES)
    lengths = of_functions(experiment, np.asarray(experiment.exclusive("path_time")), SHAPES)
    errors = {}
    for name, *done in map(str.split, output.splitlines()):
        units = units_of(experiment, name, [int(number) for number in done])
        theory = in_units(SHAPES[name][0], ranks)
        errors[name] = outside(lengths[name], theory * float(np.mean(units)), theory * max(units))
    return errors


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_the_path_of_each_shape_is_as_long_as_theory_says(ranks: int, tmp_path: Path) -> None:
    program = built(PROGRAMS / "path_shapes.c", tmp_path, LONG)
    with busy_machine():
        tries = [errors_of_shapes(program, ranks, tmp_path / str(number)) for number in range(TRIES)]
    best = {name: min((each[name] for each in tries), key=abs) for name in SHAPES}
    assert best == pytest.approx(dict.fromkeys(SHAPES, 0.0), abs=CLOSE)


def team_error(program: Path, folder: Path) -> float:
    """Return by which share the path of two ranks with teams is longer than theory says."""
    experiment, _ = timed(program, 2, folder, OMP_WAIT_POLICY="passive")
    functions = ("alone", "together")
    path = of_functions(experiment, np.asarray(experiment.exclusive("path_time")), functions)
    unit = sum(of_functions(experiment, busy_time(experiment), functions).values()) / (2 * 2 * (2 + 5 + 5))
    return sum(path.values()) / (unit * 2 * (2 + 3 + 3)) - 1


def test_a_team_adds_the_work_of_its_slowest_thread(tmp_path: Path) -> None:
    program = built(PROGRAMS / "path_teams.c", tmp_path, "-fopenmp", LONG)
    with busy_machine():
        tries = [team_error(program, tmp_path / str(number)) for number in range(TRIES)]
    assert min(map(abs, tries)) < CLOSE


def test_file_io_of_one_rank_is_on_the_path(tmp_path: Path) -> None:
    """The path contains the rank's busy time in I/O, which theory does not include."""
    program = built(PROGRAMS / "path_writing.c", tmp_path, LONG)
    with busy_machine():
        experiment, _ = timed(program, 4, tmp_path / "run")
    path, busy = np.asarray(experiment.exclusive("path_time")), busy_time(experiment)
    late = np.array([place.process == 1 for place in experiment.locations])
    (found,) = of_functions(experiment, path[:, late], ("write_all",)).values()
    (worked,) = of_functions(experiment, busy[:, late], ("write_all",)).values()
    assert found == pytest.approx(worked, rel=CLOSE)
    assert not of_functions(experiment, path[:, ~late], ("write_all",))["write_all"]
    assert path.sum() >= experiment.exclusive("io_time").sum()
