"""An anomaly and its companions: metrics of any run with the same shape (Hauswirth et al. 2005, section 5.3.3)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ...analyze.run.arrays import Values
from ...multivariate.derivations import built_in
from ..correlators.scores import signed_pearson
from .run import Run, Way
from .shapes import contrast

__all__ = ["ALIKE", "Anomaly", "Companion", "Course", "companions", "foremost"]

# Metrics that change with the time of a region by definition, so they explain nothing.
_ITSELF: Final = frozenset(
    {"wall_time", "cpu_time", "compute_time", "program_time", "visits", "untimed_visits", "cycles", "ref_cycles"}
    | {"cpi", "ipc"}
)
# Minimum time per event, in seconds: an L1 miss costs at least the latency of the L2 cache (4 ns), and an L2 miss at
# least the latency of memory (40 ns). A core executes at most ten accesses or instructions per nanosecond. A metric is
# a companion only if its events, at these costs, explain at least the fraction _EXPLAINED of the change. For a miss
# rate, the events are the misses.
_AT_LEAST: Final[dict[str, float]] = {
    "l1_misses": 4e-9,
    "l1_miss_rate": 4e-9,
    "l2_accesses": 4e-9,
    "l2_misses": 40e-9,
    "l2_miss_rate": 40e-9,
    "l1_accesses": 1e-10,
    "instructions": 1e-10,
}
_COUNTED: Final = {"l1_miss_rate": "l1_misses", "l2_miss_rate": "l2_misses"}
_EXPLAINED: Final = 0.05
# More work also causes more accesses and misses. Unless they grow more than _SAME times as much as the instructions,
# they are sorted behind all other companions.
_WORK: Final = "instructions"
_OF_WORK: Final = ("l1_accesses", "l1_misses", "l2_accesses", "l2_misses")
_SAME: Final = 1.1
ALIKE: Final = 0.5  # minimum absolute Pearson coefficient; below it, other causes explain over 3/4 of the variance
_MOST: Final = 8  # maximum number of companions
_CHANGES: Final = 0.1  # minimum change of a metric, as a fraction of its amount in the region


@dataclass(frozen=True, slots=True)
class Companion:
    """A metric that changes together with an anomaly.

    Attributes:
        metric: The metric's name.
        sign: ``+`` if the metric rises when the anomaly's metric rises, ``-`` if it falls.
        score: From 0 to 1: the absolute value of Pearson's coefficient with the anomaly's shape.
        source: Name of the trace that contains the metric.
    """

    metric: str
    sign: str
    score: float
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """The busy time per entry of a region over the course of a run, averaged over parts (groups of entries).

    Attributes:
        source: Name of the run's trace.
        begin: ``float64[location, part]``: when the part begins, in seconds.
        end: ``float64[location, part]``: when the part ends, in seconds.
        seconds: ``float64[location, part]``: busy time per entry.
    """

    source: str
    begin: Values
    end: Values
    seconds: Values


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A change of a metric over time.

    Attributes:
        kind: ``gradual change``, ``sudden change``, ``level shift``, ``rank leaves the others``, ``period`` or ``dip
            before an event``.
        metric: The changing metric: ``compute_time`` per entry of a region, ``io_time``, ``resident_memory``.
        start: When the change begins, in seconds of the first run's time.
        end: When the change ends, in seconds of the first run's time.
        ranks: The ranks on which the metric changes.
        path: Index of the call path in the first run's trace; None for the whole program.
        factor: The ratio of the changed metric to its usual value; for a period, the share of time spent in file I/O.
        strength: The change divided by the standard deviation of the residuals, which are the values without the
            change.
        runs: The number of runs that show the change.
        period: Seconds from one occurrence to the next, or None.
        before: For a dip, the call path that is entered after the dip, as an index in the first run's trace; None for
            other kinds.
        threads: Process and thread of each changing thread if only some threads of a rank change; empty if all of them
            change.
        goes_with: Other metrics that change at the same time, most similar first.
        courses: The busy time per entry of the region over the run, for each compared run.
        uncertain: Whether ranks also begin to wait for cores, so that the load of the machine may cause the change.
    """

    kind: str
    metric: str
    start: float
    end: float
    ranks: tuple[int, ...]
    path: int | None
    factor: float
    strength: float
    runs: int
    period: float | None = None
    before: int | None = None
    threads: tuple[tuple[int, int], ...] = ()
    goes_with: tuple[Companion, ...] = ()
    courses: tuple[Course, ...] = field(default=(), repr=False, compare=False)
    uncertain: bool = False


def companions(
    ways: Sequence[tuple[Run, Way]], members: Sequence[int], profile: Values, seconds: float
) -> tuple[Companion, ...]:
    """Return the metrics of all runs whose shapes resemble an anomaly's shape, most similar first.

    Args:
        ways: For each run, the amounts in each part of a region's entries.
        members: The locations that show the anomaly.
        profile: ``float64[part]``: the anomaly's shape; positive where its metric rises.
        seconds: The change of the busy time per entry, in seconds.
    """
    found: dict[str, Companion] = {}
    changes: dict[str, float] = {}
    for run, each in ways:
        table = each.amounts[list(members)].mean(axis=0)
        columns = dict(zip(each.metrics, table.T, strict=True))
        for formula in built_in():
            if formula.name not in columns and all(name in columns for name in formula.metrics):
                columns[formula.name] = formula.evaluate(columns)
        for metric, values in columns.items():
            if metric in _ITSELF or (not run.timed and metric.endswith("_time")) or not np.isfinite(values).all():
                continue
            change = abs(contrast(values, profile)) / max(each.inside.get(metric, np.abs(values).mean()), 1e-300)
            if change < _CHANGES or not np.ptp(values):
                continue
            counted = columns.get(_COUNTED.get(metric, metric), values)
            if _AT_LEAST.get(metric, np.inf) * abs(contrast(counted, profile)) < _EXPLAINED * seconds:
                continue
            signed = signed_pearson(profile, values)
            if metric not in found or abs(signed) > found[metric].score:
                found[metric] = Companion(metric, "-" if signed < 0 else "+", abs(signed), run.source)
                changes[metric] = change
    more_work = _SAME * changes.get(_WORK, 0.0)
    return foremost(found.values(), behind={name for name in _OF_WORK if changes.get(name, np.inf) <= more_work})


def foremost(found: Iterable[Companion], *, behind: Container[str] = ()) -> tuple[Companion, ...]:
    """Return at most ``_MOST`` companions that are similar enough, sorted by decreasing score, then by name.

    Args:
        found: Companions with any scores.
        behind: Metrics to sort after all others.
    """
    clear = [each for each in found if each.score >= ALIKE]
    order = sorted(clear, key=lambda each: (each.metric in behind, -round(each.score, 2), each.metric))
    return tuple(order[:_MOST])
