"""Folded call paths: call paths and values of a program are the same, no matter when a region was throttled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region
from autoanalyzer.experiment.algebra import difference, mean, merge
from autoanalyzer.experiment.folding import folded
from autoanalyzer.experiment.metric import STORED_METRICS, UNTIMED_VISITS
from autoanalyzer.experiment.throttling import folded_paths, untimed_paths
from autoanalyzer.runtime.counting.join_counts import join_counts

from .algebra.conftest import cells, experiments, for_all

NAMES = "fghk"
Path = tuple[str, ...]

# Call → from where it is made (0: main, n: call n before), what is called, and its exclusive time.
programs = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(NAMES), st.integers(0, 9)), max_size=40)
moments = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 40), max_size=3)


@dataclass
class Run:
    """What probes record of a program whose regions are throttled after some time."""

    values: dict[str, Counter[Path]] = field(
        default_factory=lambda: {name: Counter() for name in ("visits", "untimed_visits", "wall_time")}
    )
    paths: list[Path] = field(default_factory=list)

    def add(self, path: Path, name: str, value: int) -> None:
        if path not in self.paths:
            self.paths.append(path)
        self.values[name][path] += value


def recorded(program: Sequence[tuple[int, str, int]], throttled: Mapping[str, int]) -> Run:
    run, stack = Run(), [(("main",), ("main",))]  # call paths as called, and as recorded
    run.add(("main",), "visits", 1)
    for moment, (back, name, time) in enumerate(program):
        while len(stack) > 1 and (back == 0 or name in stack[-1][0] or len(stack) > 5 - back):
            stack.pop()
        called, caller = stack[-1]
        own = (*caller, name)
        passes = throttled.get(name, len(program)) <= moment
        run.add(own, "visits", 1)
        run.add(own, "untimed_visits", int(passes))
        run.add(caller if passes else own, "wall_time", time)
        stack.append(((*called, name), caller if passes else own))
    return run


def experiment(*runs: Run, counted: bool = False) -> Experiment:
    paths = list(dict.fromkeys(path for run in runs for path in run.paths))
    metrics = [*STORED_METRICS[:2], UNTIMED_VISITS]
    values = {
        each.name: np.array([[float(run.values[each.name][path]) for run in runs] for path in paths])
        for each in metrics
    }
    if counted:
        metrics = [metrics[0], Metric("instructions", "occ")]
        values = {"visits": values["visits"], "instructions": values["wall_time"]}
    return Experiment(
        metrics=metrics,
        call_paths=[
            CallPath(Region("function", path[-1], "a.c", path[-1]), paths.index(path[:-1]) if path[1:] else None)
            for path in paths
        ],
        locations=[Location("m", "n", process) for process in range(len(runs))],
        severities=values,
        notes=Notes(program="main"),
    )


def gathered(*runs: Run) -> Experiment:
    whole = experiment(*runs)
    return folded(whole, untimed_paths(whole))


@for_all(experiments(), st.integers(0, 1 << 16))
def test_no_value_and_no_region_is_lost(whole: Experiment, seed: int) -> None:
    chosen = np.random.default_rng(seed).random(len(whole.call_paths)) < 0.5
    once = folded(whole, chosen)
    once.check()
    for metric in whole.metrics:
        sums = [each.exclusive(metric.name).sum(axis=0) for each in (once, whole)]
        np.testing.assert_allclose(*sums, rtol=1e-9, atol=1e-6)
    assert {path.region for path in once.call_paths} == {path.region for path in whole.call_paths}


def test_what_is_lifted_from_two_call_sites_stays_two_call_paths() -> None:
    main, f, g = (Region("function", name, "a.c", name) for name in ("main", "f", "g"))
    whole = Experiment(
        metrics=[Metric("visits", "occ")],
        call_paths=[CallPath(main), CallPath(f, 0), CallPath(g, 1, 10), CallPath(g, 1, 11)],
        locations=[Location("m", "n", 0)],
        severities={"visits": np.array([[1.0], [1.0], [2.0], [3.0]])},
    )
    found = folded(whole, np.array([False, True, False, False]))
    assert [*found.call_paths] == [CallPath(main), CallPath(f, 0), CallPath(g, 0, 10), CallPath(g, 0, 11)]
    assert found.exclusive("visits").tolist() == [[1], [1], [2], [3]]


@for_all(programs, moments, moments)
def test_processes_that_throttle_at_different_moments_have_one_tree_and_equal_values(program, throttled, moved) -> None:
    ranks = (dict.fromkeys(throttled, 0), throttled, {name: moved.get(name, 40) for name in throttled}, {})
    runs = [recorded(program, each) for each in ranks]
    one = gathered(*runs)
    alone = gathered(runs[0])
    assert [path.region.name for path in one.call_paths if path.parent is None] == ["main"]
    assert {path for _, path, _ in cells(one)} == {path for _, path, _ in cells(alone)}
    for name in ("visits", "wall_time"):
        assert (np.ptp(one.exclusive(name), axis=1) == 0).all()
    assert not any(one.children[place] for place in np.flatnonzero(folded_paths(one)))
    assert cells(folded(one, folded_paths(one))) == cells(one)


@for_all(programs, moments)
def test_the_algebra_folds_as_the_gather_does(program, throttled) -> None:
    early, late, never = (gathered(recorded(program, each)) for each in (dict.fromkeys(throttled, 0), throttled, {}))
    for other in (late, never):
        for result in (difference(early, other), difference(other, early)):
            assert {path for _, path, _ in cells(result)} == {path for _, path, _ in cells(early)}
            assert not any(result.exclusive("wall_time").flat)
            assert not any(result.exclusive("visits").flat)
        for result in (mean(other, early), merge(other, early)):
            for name in ("visits", "wall_time"):
                found, wanted = (
                    {key[1:]: v for key, v in cells(e).items() if key[0] == (name,)} for e in (result, early)
                )
                assert found == wanted


@for_all(programs, moments)
def test_counts_go_where_times_went_and_no_call_path_is_strange(program, throttled) -> None:
    timing = gathered(recorded(program, throttled))
    joined = join_counts(timing, experiment(recorded(program, {}), counted=True))
    assert joined.notes.remarks == ()
    assert joined.exclusive("instructions").tolist() == joined.exclusive("wall_time").tolist()
