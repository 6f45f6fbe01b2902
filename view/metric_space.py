"""Describe the points and metrics of a metric space in the reports of statistical analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Final

import numpy as np
import numpy.typing as npt

from ..multivariate.metric_space import MetricSpace
from .units import amount, many, ranks

__all__ = ["caveats", "drawn", "dropped", "finite", "names", "part_of", "some_rows", "value"]

_NAMED: Final = 5
_PROCESSES: Final = 2  # minimum number of processes that can be compared
_DRAWN: Final = 2000  # maximum number of points in a picture, so that browsers draw it without delay


def caveats(space: MetricSpace) -> list[str]:
    """Return warnings about metrics and locations that were left out, and metrics of first threads only."""
    said = [*_of_first_threads(space), *dropped(space.dropped)]
    if space.left_out:
        whys = {
            why: [each for each, other in space.left_out.items() if other == why] for why in space.left_out.values()
        }
        said += [f"Left out: {many(len(labels), 'location')} ({ranks(labels)}): {why}." for why, labels in whys.items()]
    return said


def _of_first_threads(space: MetricSpace) -> list[str]:
    others = np.array([point.thread > 0 for point in space.points])
    if not others.any() or len({point.process for point in space.points if not point.thread}) < _PROCESSES:
        return []
    alone = [name for name, column in zip(space.metrics, space.values.T, strict=True) if not column[others].any()]
    if not alone:
        return []
    only = f"Only the first thread of each process has values of {names(alone)}."
    return [f"{only} To compare processes, use stats --by process."]


def dropped(whys: Mapping[str, str]) -> list[str]:
    """Return a sentence about metrics that were left out, grouped by reason; empty if there are none.

    Args:
        whys: Name of a metric → why it was left out.
    """
    if not whys:
        return []
    named: dict[str, list[str]] = {}
    for name, why in whys.items():
        named.setdefault(why, []).append(name)
    listed = [f"{names(each)} ({why})" for why, each in list(named.items())[:_NAMED]]
    more = sum(map(len, list(named.values())[_NAMED:]))
    rest = [f"and {many(more, 'more metric')}"] if more else []
    return [f"Dropped: {'; '.join([*listed, *rest])}."]


def part_of(some: int, count: int, noun: str) -> str | None:
    """Return how many of some items are shown, as text, such as ``30 of 34 clusters``; None if all are shown."""
    return f"{some} of {many(count, noun)}" if some < count else None


def drawn(*parts: str | None) -> list[str]:
    """Return a sentence with what a picture shows, from results of ``part_of``; empty if it shows everything."""
    said = [each for each in parts if each]
    return [f"{' and '.join(said)} are drawn."] if said else []


def names(words: Sequence[object], most: int = _NAMED) -> str:
    """Return the first ``most`` names, separated by commas, and an ellipsis if there are more."""
    return ", ".join(map(str, words[:most])) + (", …" if len(words) > most else "")


def value(space: MetricSpace, metric: str, number: float) -> str:
    """Return a value of a metric as text with its unit."""
    unit = space.units.get(metric, "")
    return amount(float(number), unit) if unit else f"{number:.4g}"


def finite(number: float) -> float | None:
    """Return a number, or None for NaN and infinity, which JSON does not have."""
    return float(number) if isfinite(number) else None


def some_rows(space: MetricSpace, labels: npt.NDArray[np.intp] | None = None) -> npt.NDArray[np.intp]:
    """Return the indices of the points to draw.

    If there are too many points, these are the extreme points of each metric, evenly spaced points, and the first
    points of each cluster.

    Args:
        space: The metric space.
        labels: ``intp[point]``: the cluster of each point; None if there are no clusters.
    """
    count = len(space.points)
    if count <= _DRAWN:
        return np.arange(count)
    extremes = np.concatenate([space.values.argmin(axis=0), space.values.argmax(axis=0)])
    even = np.linspace(0, count - 1, _DRAWN).astype(np.intp)
    smallest = [] if labels is None else [np.flatnonzero(labels == each)[:50] for each in range(int(labels.max()) + 1)]
    return np.unique(np.concatenate([extremes, even, *smallest]))
