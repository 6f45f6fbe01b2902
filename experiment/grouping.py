"""Aggregate values of several call paths or locations.

Most metrics are added up; for minima and maxima, the aggregate is the smallest or largest value. If a metric is not
additive, such as a ratio, a single value is kept, and the aggregate of several values is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from .metric import Aggregation, Metric
from .severities import Severity

__all__ = ["grouped", "over_locations", "to_callers", "up_the_forest"]

_OPERATIONS: Final[dict[Aggregation, np.ufunc]] = {"sum": np.add, "min": np.fmin, "max": np.fmax}
_START: Final[dict[Aggregation, float]] = {"sum": 0.0, "min": np.nan, "max": np.nan}

_CELLS: Final = 1 << 20  # number of values copied at a time: a few MiB, because a metric may take gigabytes


def over_locations(metric: Metric, values: Severity) -> npt.NDArray[np.float64]:
    """Aggregate over all locations; ``float64[call path]``, NaN if all values are missing or cannot be aggregated."""
    if values.shape[1] == 1:
        return values[:, 0].copy()
    if values.shape[1] == 0 or metric.aggregation == "none":
        return np.full(len(values), np.nan)
    if metric.aggregation != "sum":
        return np.asarray(_OPERATIONS[metric.aggregation].reduce(values, axis=1))
    found = np.empty(len(values))
    size = max(1, _CELLS // values.shape[1])
    for start in range(0, len(values), size):
        block = values[start : start + size]
        missing = np.isnan(block)
        # Columns are added one by one, as in other tools, because numpy does not sum pairwise along the outer axis.
        by_location = np.ascontiguousarray(np.where(missing, 0.0, block).T)
        found[start : start + size] = np.where(missing.all(axis=1), np.nan, np.add.reduce(by_location, axis=0))
    return found


def up_the_forest(aggregation: Aggregation, values: Severity, parents: Sequence[int | None]) -> Severity:
    """Aggregate each call path's row with those of its descendants; ``float64[call path, location]``.

    Parents come before their children.
    """
    result = values.copy()
    if aggregation == "none":
        result[[parent for parent in parents if parent is not None]] = np.nan
        return result
    operation = _OPERATIONS[aggregation]
    for row in range(len(parents) - 1, -1, -1):
        parent = parents[row]
        if parent is not None:
            operation(result[parent], result[row], out=result[parent])
    return result


def to_callers(values: npt.NDArray[np.float64], paths: Sequence[tuple[int, int]]) -> None:
    """Move the values of call paths to their callers, in place.

    Args:
        values: The values to change, ``float64[call path, …]``.
        paths: Pairs of a call path and its caller, parents before children.
    """
    for path, caller in reversed(paths):
        values[caller] += values[path]
        values[path] = 0.0


def grouped(aggregation: Aggregation, values: Severity, groups: npt.NDArray[np.intp], count: int) -> Severity:
    """Aggregate the rows of each group; ``float64[group, location]``.

    Args:
        aggregation: How values are aggregated.
        values: ``float64[row, location]``.
        groups: ``intp[row]``: the group of each row.
        count: The number of groups.
    """
    shape = (count, values.shape[1])
    if aggregation == "none":
        result = np.full(shape, np.nan)
        result[groups] = values
        result[np.bincount(groups, minlength=count) > 1] = np.nan
        return result
    result = np.full(shape, _START[aggregation])
    with np.errstate(over="ignore"):  # the caller handles infinity
        _OPERATIONS[aggregation].at(result, groups, values)
    return result
