"""Which ranks wait for which, in experiments that were computed from several runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.algebra import difference, maximum, mean, merge, minimum, ratio, stddev, total
from autoanalyzer.experiment.delay import Delay

MAIN = Region("program", "main", "main.c", "main", 0, 1, 40)
SOLVE = Region("function", "solve", "solve.c", "solve", 0, 3, 20)
WAIT = Region("mpi", "MPI_Barrier")
LATER = Region("function", "solve", "solve.c", "solve", 0, 5, 22)  # in a version with two more lines before it


def run(delays: dict[tuple[Region, Region], float], solve: Region = SOLVE, taken: float | None = 1.0) -> Experiment:
    paths = [CallPath(MAIN, None), CallPath(solve, 0), CallPath(WAIT, 0)]
    return Experiment(
        metrics=[Metric("wall_time", unit="sec")],
        call_paths=paths,
        locations=[Location(0, 0, 0)],
        severities={"wall_time": np.ones((3, 1))},
        notes=Notes(
            program="app",
            path_seconds=taken,
            delays=tuple(
                Delay(waiting.descriptor, late.descriptor, value) for (waiting, late), value in delays.items()
            ),
        ),
    )


def seconds(experiment: Experiment) -> dict[tuple[str, str], float]:
    return {
        (Region.from_descriptor(each.waiting).name, Region.from_descriptor(each.late).name): each.seconds
        for each in experiment.notes.delays
    }


FIRST = run({(WAIT, SOLVE): 3.0, (WAIT, MAIN): 1.0})
SECOND = run({(WAIT, SOLVE): 5.0, (MAIN, SOLVE): 8.0}, taken=3.0)


@pytest.mark.parametrize(
    ("operation", "expected", "taken"),
    [
        (mean, {("MPI_Barrier", "solve"): 4.0, ("MPI_Barrier", "main"): 0.5, ("main", "solve"): 4.0}, 2.0),
        (total, {("MPI_Barrier", "solve"): 8.0, ("MPI_Barrier", "main"): 1.0, ("main", "solve"): 8.0}, 4.0),
        (minimum, {("MPI_Barrier", "solve"): 3.0}, 3.0),
        (maximum, {("MPI_Barrier", "solve"): 5.0, ("MPI_Barrier", "main"): 1.0, ("main", "solve"): 8.0}, 3.0),
        (merge, {("MPI_Barrier", "solve"): 3.0, ("MPI_Barrier", "main"): 1.0}, 3.0),
        (difference, {}, 3.0),
        (stddev, {}, 3.0),
        (ratio, {}, 3.0),
    ],
)
def test_delays_are_combined_as_values_are(
    operation: Callable[..., Experiment], expected: dict[tuple[str, str], float], taken: float
) -> None:
    found = operation(FIRST, SECOND)
    assert seconds(found) == expected
    assert found.notes.path_seconds == taken
    assert [each.seconds for each in found.notes.delays] == sorted(expected.values(), reverse=True)


def test_a_merge_has_those_of_the_first_that_has_any() -> None:
    assert seconds(merge(run({}, taken=None), SECOND)) == seconds(SECOND)


def test_regions_that_moved_are_one() -> None:
    moved = run({(WAIT, LATER): 1.0}, LATER)
    assert seconds(mean(FIRST, moved)) == {("MPI_Barrier", "solve"): 2.0, ("MPI_Barrier", "main"): 0.5}


def test_the_mean_of_a_run_with_itself_is_that_run() -> None:
    assert mean(FIRST, FIRST).notes.delays == FIRST.notes.delays


def test_at_most_a_hundred_are_kept() -> None:
    regions = [Region("function", f"f{number}", "f.c", f"f{number}", 0, number, number) for number in range(1, 121)]
    many = run({(WAIT, region): float(number) for number, region in enumerate(regions, 1)})
    assert [each.seconds for each in mean(many, many).notes.delays] == [*range(120, 20, -1)]
