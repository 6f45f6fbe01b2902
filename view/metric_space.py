"""What is said of the points and metrics of a metric space, whatever is analysed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Final

import numpy as np
import numpy.typing as npt

from ..analyze.metric_space import MetricSpace
from .units import amount

__all__ = ["caveats", "drawn", "finite", "names", "some_rows", "value"]

_NAMED: Final = 5
_DRAWN: Final = 2000  # points in a picture: a browser draws no more in a moment


def caveats(space: MetricSpace) -> list[str]:
    """Say which metrics and locations are not there, and why."""
    said = []
    if space.dropped:
        listed = [f"{name} ({why})" for name, why in list(space.dropped.items())[:_NAMED]]
        more = len(space.dropped) - len(listed)
        said.append(f"Dropped: {', '.join(listed)}{f' and {more} more' if more else ''}.")
    if space.left_out:
        whys = {
            why: [each for each, other in space.left_out.items() if other == why] for why in space.left_out.values()
        }
        said += [f"Left out: {_locations(len(labels))} ({names(labels)}), {why}." for why, labels in whys.items()]
    return said


def _locations(count: int) -> str:
    return f"{count} location{'' if count == 1 else 's'}"


def names(words: Sequence[object], most: int = _NAMED) -> str:
    """List names; of many the first ones."""
    return ", ".join(map(str, words[:most])) + (", …" if len(words) > most else "")


def value(space: MetricSpace, metric: str, number: float) -> str:
    """Write a value of a metric with its unit."""
    unit = space.units.get(metric, "")
    return amount(float(number), unit) if unit else f"{number:.4g}"


def finite(number: float) -> float | None:
    """Give a number for JSON, where there is neither NaN nor infinity."""
    return float(number) if isfinite(number) else None


def some_rows(space: MetricSpace, labels: npt.NDArray[np.intp] | None = None) -> npt.NDArray[np.intp]:
    """Choose the points that are drawn: of many, the extremes of each metric and an even choice of the rest."""
    count = len(space.points)
    if count <= _DRAWN:
        return np.arange(count)
    extremes = np.concatenate([space.values.argmin(axis=0), space.values.argmax(axis=0)])
    even = np.linspace(0, count - 1, _DRAWN).astype(np.intp)
    smallest = [] if labels is None else [np.flatnonzero(labels == each)[:50] for each in range(int(labels.max()) + 1)]
    return np.unique(np.concatenate([extremes, even, *smallest]))


def drawn(space: MetricSpace, rows: npt.NDArray[np.intp]) -> list[str]:
    """Say how many points are drawn, unless all are."""
    count = len(space.points)
    return [f"{len(rows)} of {count} locations are drawn."] if len(rows) < count else []
