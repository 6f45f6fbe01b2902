"""Random experiments: each has some of the same metrics, regions and locations, in different trees."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region

# `make fuzz` tries more. There is no deadline, because on a busy machine an example may take long.
EXAMPLES = int(os.environ.get("AUTOANALYZER_EXAMPLES", "12"))
UNHURRIED = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])

REGIONS = (
    Region("program", "main", "main.c", "main", 0, 1, 40),
    Region("function", "solve", "solve.c", "solve", 0, 3, 20),
    Region("function", "norm", "norm.c", "norm", 0, 22, 30),  # in solve.c, it could be taken for solve under a new name
    Region("loop", "loop@5", "solve.c", "solve", 0, 5, 8),
    Region("loop", "loop@10", "solve.c", "solve", 1, 10, 18),
    Region("loop", "loop@24", "norm.c", "norm", 0, 24, 28),
    Region("mpi", "MPI_Send"),
    Region("mpi", "MPI_Recv"),
)
METRICS = ("time", "mpi", "wait", "x")  # each may have any parent, so that its name alone does not identify it

KINDS = (("FLOAT", True), ("INTEGER", True), ("MINDOUBLE", True), ("MAXDOUBLE", True), ("FLOAT", False))

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)

Key = tuple[Any, ...]


def for_all(*operands: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return lambda law: UNHURRIED(given(*operands)(law))


def experiments(
    *,
    values: st.SearchStrategy[float] = FINITE,
    sites: bool = False,
    kinds: Sequence[tuple[str, bool]] = KINDS[:1],
    units: Sequence[str] = ("sec",),
) -> st.SearchStrategy[Experiment]:
    """Return a strategy that makes an experiment from few draws, because draws take longer than the computations.

    Args:
        values: The severities.
        sites: Whether call paths have call sites.
        kinds: The data types of metrics, each with whether the metric is additive.
        units: The metrics' units; all metrics of an experiment have the same one.
    """
    places = range(len(METRICS))
    return st.builds(
        _experiment,
        metrics=st.sampled_from([*permutations(METRICS)]),
        parents=st.sampled_from([*product(*(range(-1, place) for place in places))]),
        kinds=st.sampled_from([*product(kinds, repeat=len(METRICS))]),
        count=st.integers(1, len(METRICS)),
        steps=st.lists(st.sampled_from([*product(REGIONS, range(-1, 10), range(3 if sites else 1))]), max_size=12),
        threads=st.sampled_from([each for each in product(range(4), repeat=4) if any(each)]),
        nodes=st.sampled_from([*product((1, 2), repeat=4)]),
        values=st.lists(values, min_size=1, max_size=8),
        seed=st.integers(0, 1 << 16),
        program=st.sampled_from("ab"),
        unit=st.sampled_from(units),
    )


def _experiment(
    *,
    metrics: Sequence[str],
    parents: Sequence[int],
    kinds: Sequence[tuple[str, bool]],
    count: int,
    steps: Sequence[tuple[Region, int, int]],
    threads: Sequence[int],
    nodes: Sequence[int],
    values: Sequence[float],
    seed: int,
    program: str,
    unit: str,
) -> Experiment:
    """Build an experiment in which each metric and call path has an earlier one as parent, or none."""
    paths: list[CallPath] = []
    for region, parent, line in steps:
        path = CallPath(region, parent if 0 <= parent < len(paths) else None, line or None)
        if path not in paths:
            paths.append(path)
    locations = [
        Location("m", f"n{nodes[process]}", process, thread)
        for process, several in enumerate(threads)
        for thread in range(several)
    ]
    places = np.random.default_rng(seed)
    shape = (len(paths), len(locations))
    return Experiment(
        metrics=[
            Metric(name, unit, metrics[parent] if parent >= 0 else None, dtype=dtype, additive=additive)
            for name, parent, (dtype, additive) in zip(metrics[:count], parents, kinds, strict=False)
        ],
        call_paths=paths,
        locations=locations,
        severities={name: places.choice(np.array(values), shape) for name in metrics[:count]},
        notes=Notes(program=program),
    )


def cells(experiment: Experiment) -> dict[Key, float]:
    """Return each value by the positions of its metric, call path and thread in their trees.

    The order of nodes in an experiment does not change these positions.
    """
    metric_keys: dict[str, Key] = {}
    for metric in experiment.metrics:
        above = metric_keys[metric.parent] if metric.parent is not None else ()
        added = (f"{metric.parent}/", "") if metric.parent is not None else ("", f" ({metric.unit})")
        own = metric.name.removeprefix(added[0]).removesuffix(added[1])
        metric_keys[metric.name] = (*above, own, metric.unit)
    path_keys: list[Key] = []
    for path in experiment.call_paths:
        above = path_keys[path.parent] if path.parent is not None else ()
        step = (*path.region.identity, path.site)
        path_keys.append((*above, step))
    threads = [(place.process, place.thread) for place in experiment.locations]
    return {
        (metric_keys[metric.name], path, thread): float(value)
        for metric in experiment.metrics
        for path, row in zip(path_keys, experiment.exclusive(metric.name), strict=True)
        for thread, value in zip(threads, row, strict=True)
    }


def assert_same(one: Experiment, other: Experiment, *operands: Experiment) -> None:
    """Assert that two experiments have the same values, up to 1e-12 of the largest value, in any order of nodes.

    Args:
        one: An experiment; values that only the other one has count as 0.
        other: The other experiment.
        operands: Experiments from which both were computed; their values count for the largest one.
    """
    mine, theirs = cells(one), cells(other)
    keys = sorted(mine.keys() | theirs.keys(), key=repr)
    found = np.array([mine.get(key, 0.0) for key in keys])
    wanted = np.array([theirs.get(key, 0.0) for key in keys])
    values = [found, wanted, *(np.array([*cells(each).values()]) for each in operands)]
    scale = max(float(np.nanmax(np.abs(each), initial=1.0)) for each in values)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * scale)


def assert_same_in_kind(one: Experiment, other: Experiment, *operands: Experiment) -> None:
    """Assert that two experiments have the same values and metrics, with the same units, types and aggregation."""
    assert_same(one, other, *operands)
    kinds = [{each.name: (each.dtype, each.additive, each.unit) for each in found.metrics} for found in (one, other)]
    assert kinds[0] == kinds[1]


def assert_same_domain(one: Experiment, other: Experiment) -> None:
    assert cells(one).keys() == cells(other).keys()


def simple(values: npt.ArrayLike, paths: Sequence[CallPath], **changes: Any) -> Experiment:
    """Return an experiment with one metric, ``time``, from its values by call path and process; change other fields."""
    array = np.array(values, dtype=np.float64)
    parts: dict[str, Any] = {
        "metrics": [Metric("time", "sec")],
        "call_paths": paths,
        "locations": [Location("m", "n", process) for process in range(array.shape[1])],
        "severities": {"time": array},
    }
    return Experiment(**(parts | changes))
