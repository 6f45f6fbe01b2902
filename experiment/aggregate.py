"""Aggregate values, inclusive or exclusive, along metrics, call paths and the system.

An experiment stores values that are exclusive along call paths and inclusive along metrics. The views use the single
representation (Song et al. 2004, section 4): in all three trees, the value of an open (expanded) node excludes its
children's values, and the value of a closed (collapsed) node includes them, so that nothing is counted twice. ``own``
metrics and ``exclusive`` values belong to open nodes; stored metrics and ``inclusive`` values belong to closed nodes.
Values are stored per thread; ``by_level`` aggregates them per process, node or machine.

To keep rounding errors small, sums follow the order of the trees, and differences are computed after them.
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
    """Return a metric's exclusive values, minus those of its additive children; ``float64[call path, location]``."""
    values = experiment.exclusive(metric)
    for part in added_parts(experiment, metric):
        values = values - experiment.exclusive(part)
    return values


def added_parts(experiment: Experiment, metric: str) -> tuple[str, ...]:
    """Return a metric's additive child metrics, which can be subtracted from it; none if the metric is not additive."""
    parts = (metric, *experiment.parts(metric))
    summed = [name for name in parts if experiment.metric(name).aggregation == "sum"]
    return tuple(summed[1:]) if metric in summed else ()


def totals(experiment: Experiment, metric: str) -> npt.NDArray[np.float64]:
    """Aggregate a metric's values over all locations; ``float64[call path]``, exclusive along call paths."""
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
    """Return, for each metric, its ``totals`` minus those of its additive child metrics; ``float64[call path]``.

    Each metric is read only once.
    """
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
    """Map each machine, node, process or thread to the indices of its locations.

    The keys are ``(machine,)``, ``(machine, node)``, ``(rank,)`` or ``(rank, thread)``, depending on the level.
    """
    columns: dict[tuple[object, ...], list[int]] = {}
    for column, place in enumerate(experiment.locations):
        columns.setdefault(LEVELS[level](place), []).append(column)
    return columns


def by_level(
    experiment: Experiment, metric: str, values: Severity, level: Level
) -> tuple[list[tuple[object, ...]], Severity]:
    """Aggregate the values of each machine, node, process or thread.

    Args:
        experiment: The experiment whose locations are the columns of ``values``.
        metric: Determines how values are aggregated.
        values: ``float64[call path, location]``.
        level: One of ``LEVELS``.

    Returns:
        The keys of the new columns, as in ``columns_at``, and their values, ``float64[call path, column]``.
    """
    columns = columns_at(experiment, level)
    kind = experiment.metric(metric)
    closed = [over_locations(kind, values[:, each]) for each in columns.values()]
    return list(columns), np.array(closed).reshape(len(columns), len(values)).T
