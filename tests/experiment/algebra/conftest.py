"""Random experiments of one program: parts of the same metrics, regions and locations in different trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from autoanalyzer.experiment import CallPath, Experiment, Location, Metric, Notes, Region

# On a busy machine an example may take long: times are not what is tested.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

REGIONS = (
    Region("program", "main", "main.c", "main", 0, 1, 40),
    Region("function", "solve", "solve.c", "solve", 0, 3, 20),
    Region("function", "norm", "norm.c", "norm", 0, 22, 30),  # in a file with solve it might pass for that renamed
    Region("loop", "loop@5", "solve.c", "solve", 0, 5, 8),
    Region("loop", "loop@10", "solve.c", "solve", 1, 10, 18),
    Region("loop", "loop@24", "norm.c", "norm", 0, 24, 28),
    Region("mpi", "MPI_Send"),
    Region("mpi", "MPI_Recv"),
)
# Name, unit; "x" stands in several places, so that its name alone tells nothing.
METRICS = (("time", "sec"), ("mpi", "sec"), ("wait", "sec"), ("x", "sec"))

KINDS = (("FLOAT", True), ("INTEGER", True), ("MINDOUBLE", True), ("MAXDOUBLE", True), ("FLOAT", False))

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)

Key = tuple[Any, ...]


def metrics(kinds: st.SearchStrategy[tuple[str, bool]]) -> st.SearchStrategy[list[Metric]]:
    """A forest: each metric has an earlier one as its parent, or none."""
    return st.permutations(METRICS).flatmap(
        lambda order: st.integers(1, len(order)).flatmap(
            lambda count: st.tuples(*(st.tuples(st.integers(-1, index - 1), kinds) for index in range(count))).map(
                lambda drawn: [
                    Metric(name, unit, order[parent][0] if parent >= 0 else None, dtype=dtype, additive=additive)
                    for (name, unit), (parent, (dtype, additive)) in zip(order, drawn, strict=False)
                ]
            )
        )
    )


@st.composite
def call_paths(draw: st.DrawFn, *, sites: bool = False) -> list[CallPath]:
    site = st.integers(0, 2) if sites else st.just(0)
    steps = draw(st.lists(st.tuples(st.sampled_from(REGIONS), st.integers(-1, 9), site), max_size=12))
    found: list[CallPath] = []
    for region, parent, line in steps:
        path = CallPath(region, parent if 0 <= parent < len(found) else None, line or None)
        if path not in found:
            found.append(path)
    return found


def locations(nodes: int = 2) -> st.SearchStrategy[list[Location]]:
    threads = st.dictionaries(st.integers(0, 3), st.integers(1, 3), min_size=1)
    return st.tuples(threads, st.lists(st.integers(1, nodes), min_size=4, max_size=4)).map(
        lambda drawn: [
            Location("m", f"n{drawn[1][process]}", process, thread)
            for process, count in sorted(drawn[0].items())
            for thread in range(count)
        ]
    )


@st.composite
def experiments(
    draw: st.DrawFn,
    *,
    values: st.SearchStrategy[float] = FINITE,
    sites: bool = False,
    kinds: Sequence[tuple[str, bool]] = KINDS[:1],
) -> Experiment:
    numbers = np.array(draw(st.lists(values, min_size=1, max_size=8)))
    places = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    parts = draw(metrics(st.sampled_from(kinds))), draw(call_paths(sites=sites)), draw(locations())
    shape = (len(parts[1]), len(parts[2]))
    return Experiment(
        metrics=parts[0],
        call_paths=parts[1],
        locations=parts[2],
        severities={metric.name: places.choice(numbers, shape) for metric in parts[0]},
        notes=Notes(program=draw(st.sampled_from(("a", "b")))),
    )


def cells(experiment: Experiment) -> dict[Key, float]:
    """Every value by the place of its metric, call path and thread in their trees, whatever the order of nodes."""
    metric_keys: dict[str, Key] = {}
    for metric in experiment.metrics:
        above = metric_keys[metric.parent] if metric.parent is not None else ()
        own = metric.name.removeprefix(f"{metric.parent}/") if metric.parent is not None else metric.name
        metric_keys[metric.name] = (*above, own)
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
    """Equal to 1e-12 of the greatest value, up to the order of nodes; 0 where only one of them is defined."""
    mine, theirs = cells(one), cells(other)
    keys = sorted(mine.keys() | theirs.keys(), key=repr)
    found = np.array([mine.get(key, 0.0) for key in keys])
    wanted = np.array([theirs.get(key, 0.0) for key in keys])
    values = [found, wanted, *(np.array([*cells(each).values()]) for each in operands)]
    scale = max(float(np.nanmax(np.abs(each), initial=1.0)) for each in values)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * scale)


def assert_same_in_kind(one: Experiment, other: Experiment, *operands: Experiment) -> None:
    """Equal, and so is how their metrics are put together; dtypes, too."""
    assert_same(one, other, *operands)
    kinds = [{each.name: (each.dtype, each.additive, each.unit) for each in found.metrics} for found in (one, other)]
    assert kinds[0] == kinds[1]


def assert_same_domain(one: Experiment, other: Experiment) -> None:
    assert cells(one).keys() == cells(other).keys()


def simple(values: npt.ArrayLike, paths: Sequence[CallPath], **changes: Any) -> Experiment:
    """An experiment with one metric, ``time``, on as many processes as there are columns."""
    array = np.array(values, dtype=np.float64)
    parts: dict[str, Any] = {
        "metrics": [Metric("time", "sec")],
        "call_paths": paths,
        "locations": [Location("m", "n", process) for process in range(array.shape[1])],
        "severities": {"time": array},
    }
    return Experiment(**(parts | changes))
