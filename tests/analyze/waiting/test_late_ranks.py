"""Which ranks wait for which ranks, and where, in programs of several phases; calculated by hand."""

from __future__ import annotations

import pytest

from autoanalyzer.analyze import analyze
from autoanalyzer.experiment import Experiment

from ..conftest import MakeExperiment


def waited(experiment: Experiment) -> dict[str, float]:
    """Return the seconds that ranks wait for late ranks in each region, if any."""
    found = analyze(experiment)
    names = [experiment.path_name(each.id) for each in found.run.weighed.regions]
    return {name: each for name, each in zip(names, found.explanation.waiting.seconds.tolist(), strict=True) if each}


def blamed(experiment: Experiment, where: str) -> dict[str, float]:
    """Return the seconds that ranks wait in a region for the slower ranks of each culprit."""
    found = analyze(experiment)
    names = [experiment.path_name(each.id) for each in found.run.weighed.regions]
    return {names[culprit]: each for culprit, each in found.explanation.waiting.shares[names.index(where)].items()}


TIMES = {"a": [1.0, 5.0], "sync_a": [0.0, 0.0], "b": [5.0, 1.0], "sync_b": [0.0, 0.0]}
WAITS = {"sync_a": [4.0, 0.0], "sync_b": [0.0, 4.0]}


@pytest.mark.parametrize("turns", [1.0, 2.0, 50.0])
def test_who_was_waited_for_is_no_longer_late(turns: float, make_experiment: MakeExperiment) -> None:
    """Both ranks compute 6 s in total, so the totals would show no late rank at the second call."""
    visits = {name: [turns] * 2 for name in TIMES}
    experiment = make_experiment(TIMES, mpi_time=WAITS, visits=visits)
    assert waited(experiment) == pytest.approx({"sync_a": 2, "sync_b": 2})
    assert sum(blamed(experiment, "sync_b").values()) == pytest.approx(2)


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
    """Rank 0 sends without waiting in the first call, and waits in the second."""
    times = {"work": [1.0, 3.0], "send": [0.0, 0.0], "more": [1.0, 2.0], "sync": [0.0, 0.0]}
    experiment = make_experiment(times, mpi_time={"send": [0.5, 0.5], "sync": [3.0, 0.0]})
    assert waited(experiment) == pytest.approx({"sync": 1.5})


def test_the_first_turn_waits_for_what_came_before_the_loop(make_experiment: MakeExperiment) -> None:
    """Rank 1 enters the loop 4 s late, and is 0.1 s ahead in each of ten iterations; both wait 0.9 s there."""
    times = {"read": [1.0, 5.0], "loop@1": [0.0] * 2, "loop@1/step": [2.0, 1.0], "loop@1/sync": [0.0] * 2}
    visits = {name: [10.0 if "/" in name else 1.0] * 2 for name in times}
    experiment = make_experiment(times, mpi_time={"loop@1/sync": [3.9, 0.9]}, visits=visits)
    assert waited(experiment) == pytest.approx({"loop@1": 1.5, "loop@1/sync": 1.5})


@pytest.mark.parametrize("order", [["m", "l", "l/w", "l/sync"], ["l", "l/w", "l/sync", "m"]])
@pytest.mark.parametrize("turns", [1.0, 2.0, 100.0])
def test_who_never_enters_a_region_computes_on_as_it_is_entered(
    order: list[str], turns: float, make_experiment: MakeExperiment
) -> None:
    """Workers compute 12 s and wait 18 s for the master's 30 s, whatever the number of entries."""
    times = {"m": [20.0, 0.0, 0.0], "l": [0.0] * 3, "l/w": [0.0, 2.0, 2.0], "l/sync": [0.0] * 3}
    inside = [0.0, turns, turns]
    visits = {"pre": [1.0] * 3, "m": [1.0, 0.0, 0.0], "l": inside, "l/w": inside, "l/sync": inside}
    times = {"pre": [10.0] * 3, **{name: times[name] for name in order}}
    experiment = make_experiment(times, mpi_time={"l/sync": [0.0, 18.0, 18.0]}, visits=visits)
    assert waited(experiment) == pytest.approx({"l": 12, "l/sync": 12})
    assert blamed(experiment, "l/sync") == pytest.approx({"m": 12})


def test_who_skips_a_region_of_a_loop_is_not_late_for_what_comes_behind_the_loop(
    make_experiment: MakeExperiment,
) -> None:
    """Rank 2 never enters the halo and has much work later; nobody waits for that in the halo."""
    turns = {f"loop@1/{name}": [2.0] * 3 if name == "work" else [0.0] * 3 for name in ("work", "halo")}
    times = {"loop@1": [0.0] * 3, **turns, "solve": [1.0, 1.0, 9.0], "end": [0.0] * 3}
    visits = {**dict.fromkeys(times, [1.0] * 3), "loop@1/work": [10.0] * 3, "loop@1/halo": [10.0, 10.0, 0.0]}
    waits = {"loop@1/halo": [0.5, 0.6, 0.0], "end": [8.0, 8.0, 0.0]}
    assert waited(make_experiment(times, mpi_time=waits, visits=visits)).keys() == {"end"}


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_loops_in_loops_are_late_by_all_their_turns(depth: int, make_experiment: MakeExperiment) -> None:
    loops = ["/".join(f"l{each}" for each in range(1 + last)) for last in range(depth)]
    below = {f"{loops[-1]}/w": [1.0, 5.0], f"{loops[-1]}/small": [0.0, 0.0]}
    visits = {path: [10.0 ** (1 + path.count("/"))] * 2 for path in loops}
    visits |= dict.fromkeys(below, visits[loops[-1]]) | {"sync": [1.0] * 2}
    mpi = {f"{loops[-1]}/small": [0.05, 0.05], "sync": [4.0, 0.1]}
    experiment = make_experiment(
        {path: [0.0] * 2 for path in loops} | below | {"sync": [0.0] * 2}, mpi_time=mpi, visits=visits
    )
    assert waited(experiment) == pytest.approx({"sync": 1.95})


@pytest.mark.parametrize("turns", [101.0, 150.0])
def test_less_than_two_turns_count_once(turns: float, make_experiment: MakeExperiment) -> None:
    times = {"f": [0.0] * 2, "f/g": [1.0, 5.0], "f/h": [0.0] * 2, "b": [5.0, 1.0], "sync": [0.0] * 2}
    visits = {"f": [100.0] * 2, "f/g": [turns] * 2, "f/h": [turns] * 2, "b": [1.0] * 2, "sync": [1.0] * 2}
    assert waited(make_experiment(times, mpi_time={"f/h": [0.05, 0.05], "sync": [4.0, 0.2]}, visits=visits)) == {}


def test_what_was_made_good_is_blamed_no_more(make_experiment: MakeExperiment) -> None:
    """Ranks leave the first call at the same time, so only ``c`` makes one late at the second."""
    times = {"a": [5.0, 1.0], "b": [1.0, 5.0], "sync1": [0.0] * 2, "c": [1.0, 3.0], "sync2": [0.0] * 2}
    experiment = make_experiment(times, mpi_time={"sync1": [0.1, 0.1], "sync2": [2.0, 0.0]})
    assert waited(experiment) == pytest.approx({"sync2": 1})
    assert blamed(experiment, "sync2") == pytest.approx({"c": 1})


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
def test_the_order_of_ranks_says_nothing(order: list[int], make_experiment: MakeExperiment) -> None:
    """Ranks wait equally for ranks 0 and 1, in ``a`` and ``b``; then these two wait for rank 2 in ``c``."""
    times = {"a": [5.0, 1.0, 1.0], "b": [1.0, 5.0, 1.0], "sync1": [0.0] * 3, "c": [1.0, 1.0, 3.0], "sync2": [0.0] * 3}
    mpi = {"sync1": [0.01, 0.01, 4.0], "sync2": [2.0, 2.0, 0.01]}

    def renumbered(values: dict[str, list[float]]) -> dict[str, list[float]]:
        return {name: [each[rank] for rank in order] for name, each in values.items()}

    experiment = make_experiment(renumbered(times), mpi_time=renumbered(mpi))
    assert blamed(experiment, "sync1") == pytest.approx({"a": 0.665, "b": 0.665})
    assert blamed(experiment, "sync2") == pytest.approx({"c": 1.326667})


def test_call_paths_deeper_than_the_stack_are_followed(make_experiment: MakeExperiment) -> None:
    paths = ["/".join(["f"] * depth) for depth in range(1, 601)]
    times = {"work": [1.0, 5.0]} | {path: [0.0, 0.0] for path in paths}
    assert waited(make_experiment(times, mpi_time={paths[-1]: [4.0, 0.0]})) == pytest.approx(dict.fromkeys(paths, 2))
