"""Values of many as the value of one: inclusive or exclusive along metrics, call paths and the system.

An experiment stores values exclusive along call paths and inclusive along metrics. Single representation (paper 002,
section 4), where within a tree each part is shown once, is reached by one rule for all three axes: what is shown open
loses what its parts hold, what is shown closed keeps it. ``exclusive`` and ``own`` are open, ``inclusive`` and a
metric as it is stored are closed; the system is stored open, by thread, and is closed level by level.

Sums come first and differences after, in the order of the trees: so that little is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from .experiment import Experiment, Location
from .grouping import over_locations
from .severities import Severity

__all__ = ["LEVELS", "Level", "added_parts", "by_level", "columns_at", "own", "own_totals", "totals"]

Level = Literal["machine", "node", "process", "thread"]

LEVELS: Final[dict[Level, Callable[[Location], tuple[object, ...]]]] = {
    "machine": lambda place: (place.machine,),
    "node": lambda place: (place.machine, place.node),
    "process": lambda place: (place.process,),
    "thread": lambda place: (place.process, place.thread),
}


def own(experiment: Experiment, metric: str) -> Severity:
    """Give what of a metric none of its parts holds; ``float64[call path, location]``, exclusive along call paths."""
    values = experiment.exclusive(metric)
    for part in added_parts(experiment, metric):
        values = values - experiment.exclusive(part)
    return values


def added_parts(experiment: Experiment, metric: str) -> tuple[str, ...]:
    """Name the parts that a metric is a sum of; what is not added is no part of a sum, nor has it any."""
    parts = (metric, *experiment.parts(metric))
    summed = [name for name in parts if experiment.metric(name).aggregation == "sum"]
    return tuple(summed[1:]) if metric in summed else ()


def totals(experiment: Experiment, metric: str) -> npt.NDArray[np.float64]:
    """Give a metric of each call path alone, of all locations together; ``float64[call path]``."""
    kind = experiment.metric(metric)
    stored = experiment.stored_inclusive(metric)
    if stored is None or kind.aggregation == "none":
        return over_locations(kind, experiment.exclusive(metric))
    inclusive = over_locations(kind, stored)
    exclusive = inclusive.copy()
    for path, each in enumerate(experiment.call_paths):
        if each.parent is not None:
            exclusive[each.parent] -= inclusive[path]
    return exclusive


def own_totals(experiment: Experiment, metrics: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Give what ``totals`` gives, less what the metric's parts hold, of several metrics; each is read once."""
    parts = {name: added_parts(experiment, name) for name in metrics}
    whole = {name: totals(experiment, name) for name in dict.fromkeys([*metrics, *chain(*parts.values())])}
    found = {}
    for name in metrics:
        rest = whole[name]
        for part in parts[name]:
            rest = rest - whole[part]
        found[name] = rest
    return found


def columns_at(experiment: Experiment, level: Level) -> dict[tuple[object, ...], list[int]]:
    """Give the columns of each machine (by its name), node (machine and node), process (rank) or thread (two ranks)."""
    columns: dict[tuple[object, ...], list[int]] = {}
    for column, place in enumerate(experiment.locations):
        columns.setdefault(LEVELS[level](place), []).append(column)
    return columns


def by_level(
    experiment: Experiment, metric: str, values: Severity, level: Level
) -> tuple[list[tuple[object, ...]], Severity]:
    """Close the system below a level.

    Args:
        experiment: Whose locations the columns of ``values`` are.
        metric: Says how values are put together.
        values: ``float64[call path, location]``.
        level: One of ``LEVELS``.

    Returns:
        What each column is, as in ``columns_at``, and the columns.
    """
    columns = columns_at(experiment, level)
    kind = experiment.metric(metric)
    closed = [over_locations(kind, values[:, each]) for each in columns.values()]
    return list(columns), np.array(closed).reshape(len(columns), len(values)).T
