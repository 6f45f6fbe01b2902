"""Who waits for whom where, in programs of several phases, by hand."""

from __future__ import annotations

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Experiment

from .conftest import MakeExperiment


def waited(experiment: Experiment) -> dict[str, float]:
    """Give the seconds that ranks wait for late ones in each region, where they do."""
    found = analyze(experiment)
    names = [experiment.path_name(each.id) for each in found.run.weighed.regions]
    return {name: each for name, each in zip(names, found.explanation.waiting.seconds.tolist(), strict=True) if each}


TIMES = {"a": [1.0, 5.0], "sync_a": [0.0, 0.0], "b": [5.0, 1.0], "sync_b": [0.0, 0.0]}
WAITS = {"sync_a": [4.0, 0.0], "sync_b": [0.0, 4.0]}


@pytest.mark.parametrize("turns", [1.0, 2.0, 50.0])
def test_who_was_waited_for_is_no_longer_late(turns: float, make_experiment: MakeExperiment) -> None:
    """In all, both ranks compute 6 s: added up, nobody would be late at the second call."""
    visits = {name: [turns] * 2 for name in TIMES}
    assert waited(make_experiment(TIMES, mpi_time=WAITS, visits=visits)) == pytest.approx({"sync_a": 2, "sync_b": 2})


def test_regions_around_have_what_those_below_have(make_experiment: MakeExperiment) -> None:
    below = {f"solve/loop@1/{name}": each for name, each in TIMES.items()}
    visits = {"solve": [1.0] * 2, "solve/loop@1": [1.0] * 2, **{name: [8.0] * 2 for name in below}}
    experiment = make_experiment(
        {"solve": [0.0] * 2, "solve/loop@1": [0.0] * 2, **below, "calm": [20.0] * 2},
        mpi_time={f"solve/loop@1/{name}": each for name, each in WAITS.items()},
        visits=visits | {"calm": [1.0] * 2},
    )
    around = {"solve": 4, "solve/loop@1": 4, "solve/loop@1/sync_a": 2, "solve/loop@1/sync_b": 2}
    assert waited(experiment) == pytest.approx(around)


def test_who_does_not_wait_stays_ahead(make_experiment: MakeExperiment) -> None:
    """Rank 0 sends at once what is in the first call, and waits in the second."""
    times = {"work": [1.0, 3.0], "send": [0.0, 0.0], "more": [1.0, 2.0], "sync": [0.0, 0.0]}
    experiment = make_experiment(times, mpi_time={"send": [0.5, 0.5], "sync": [3.0, 0.0]})
    assert waited(experiment) == pytest.approx({"sync": 1.5})


def test_the_first_turn_waits_for_what_came_before_the_loop(make_experiment: MakeExperiment) -> None:
    """Once, rank 1 comes 4 s late to a loop, in which it is 0.1 s ahead at each of ten turns: both wait 0.9 s there."""
    times = {"read": [1.0, 5.0], "loop@1": [0.0] * 2, "loop@1/step": [2.0, 1.0], "loop@1/sync": [0.0] * 2}
    visits = {name: [10.0 if "/" in name else 1.0] * 2 for name in times}
    experiment = make_experiment(times, mpi_time={"loop@1/sync": [3.9, 0.9]}, visits=visits)
    assert waited(experiment) == pytest.approx({"loop@1": 1.5, "loop@1/sync": 1.5})
