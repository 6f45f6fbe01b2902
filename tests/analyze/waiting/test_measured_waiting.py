"""Waiting times measured by barriers, calculated by hand: two ranks, seconds in each call path."""

from __future__ import annotations

import numpy as np
import pytest

from autoanalyzer.analyze.run.selection import Selection
from autoanalyzer.analyze.waiting.measured_waiting import with_measured
from autoanalyzer.analyze.waiting.waiting import Waiting

from ..conftest import MakeExperiment

BARRIERS = {"late": [4, 0], "turns": [2, 2], "small": [1, 1], "sends": [0, 0], "both": [1, 0]}
THEMSELVES = {"late": [1, 1], "turns": [0.25, 0.25], "small": [1.5, 1.5], "sends": [0, 0], "both": [0, 0]}
IN_MPI = {"late": [5, 1], "turns": [2.25, 2.25], "small": [2.5, 2.5], "sends": [3, 1], "both": [3, 3]}


def test_what_barriers_take_beyond_the_collectives_or_beyond_the_last_rank_is_waiting(
    make_experiment: MakeExperiment,
) -> None:
    times = {name: [1, 1] for name in BARRIERS}
    some = {name: [0, 0] for name in BARRIERS}
    experiment = make_experiment(
        times, mpi_time=IN_MPI, mpi_wait_time=BARRIERS, mpi_collective_time=THEMSELVES, mpi_barrier_time=some
    )
    selection = Selection.of(experiment)
    names = [experiment.path_name(each.id) for each in selection.regions]
    late = names.index("late")
    waiting = with_measured(Waiting(np.full(len(names), 0.75), {late: {1: 0.5, 2: 0.25}}), selection)
    found = dict(zip(names, waiting.seconds.tolist(), strict=True))
    # A region that sends keeps the estimate; if it also has measured waiting, the result is at least that.
    expected = {"late": 2.0, "turns": 1.75, "small": 0.0, "sends": 0.75, "both": 0.75}
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert waiting.shares[late] == pytest.approx({1: 4 / 3, 2: 2 / 3})
    assert waiting.late == {late: 1}


@pytest.mark.parametrize(("barriers", "waiting"), [(0.49, 0.9), (0.51, 0.51)])
def test_where_collectives_take_most_of_the_time_in_mpi_what_was_measured_counts(
    make_experiment: MakeExperiment, barriers: float, waiting: float
) -> None:
    no = {"a": [0, 0]}
    experiment = make_experiment(
        {"a": [1, 1]},
        mpi_time={"a": [1, 1]},
        mpi_wait_time={"a": [barriers, barriers]},
        mpi_collective_time=no,
        mpi_barrier_time=no,
    )
    selection = Selection.of(experiment)
    found = with_measured(Waiting(np.full(len(selection.regions), 0.9)), selection)
    names = [experiment.path_name(each.id) for each in selection.regions]
    assert found.seconds[names.index("a")] == pytest.approx(waiting)


def test_without_barriers_the_estimate_stands(make_experiment: MakeExperiment) -> None:
    selection = Selection.of(make_experiment({"a": [1, 2]}, mpi_time={"a": [1, 0]}))
    estimated = Waiting(np.full(len(selection.regions), 0.5))
    assert with_measured(estimated, selection) is estimated
