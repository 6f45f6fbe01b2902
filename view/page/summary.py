"""Summarise each metric per call path over all locations, for a page that cannot contain all values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ...experiment import Experiment
from ...experiment.metric import Aggregation

__all__ = ["MEASURES", "Summary", "bins_of", "summary"]

Numbers = npt.NDArray[np.float64]

MEASURES: Final = ("least", "mean", "most", "deviation", "who least", "who most", "known")
_BINS: Final = 256


@dataclass(frozen=True, eq=False)
class Summary:
    """The distribution of a metric over all locations.

    Attributes:
        own: ``float64[measure, call path]``: the ``MEASURES`` of exclusive values, in which indices stand for
            locations; NaN if nothing was measured.
        closed: ``float64[measure, call path]``: the ``MEASURES`` of inclusive values. If the metric is not additive,
            NaN for call paths with descendants.
        bins: ``float64[call path, bin]``: exclusive values summed over ranges of locations; NaN if none was measured,
            or if the metric is not a sum.
        rows: Index of a call path → exclusive and inclusive values, both ``float64[location]``; for some call paths.
    """

    own: Numbers
    closed: Numbers
    bins: Numbers
    rows: Mapping[int, tuple[Numbers, Numbers]]


def bins_of(locations: int) -> npt.NDArray[np.intp]:
    """Return the index of the first location in each of at most 256 ranges, followed by the number of locations."""
    return np.linspace(0, locations, min(_BINS, locations) + 1).astype(np.intp)


def summary(experiment: Experiment, metric: str, paths: Sequence[int] = ()) -> Summary:
    """Return the distribution of a metric over the locations, in one pass over call paths, from the last to the first.

    Memory holds only one block of call paths, and one row for each call path whose children have been read before the
    call path itself. If call paths are in depth-first order, there are at most as many such rows as the tree is deep.

    Args:
        experiment: The experiment.
        metric: Name of the metric.
        paths: Call paths whose values are returned for all locations.
    """
    kind = experiment.metric(metric)
    count, ranges = len(experiment.call_paths), bins_of(len(experiment.locations))
    own, closed = (np.full((len(MEASURES), count), np.nan) for _ in range(2))
    bins = np.full((count, len(ranges) - 1), np.nan)
    kept: dict[int, tuple[Numbers, Numbers]] = {}
    below: dict[int, Numbers] = {}
    wanted = frozenset(paths)
    for rows, values in experiment.blocks(metric, backwards=True):
        for row in range(len(rows) - 1, -1, -1):
            path, alone = int(rows[row]), values[row]
            own[:, path] = _measures(alone)
            if kind.aggregation == "sum":
                known = np.add.reduceat(~np.isnan(alone), ranges[:-1], dtype=np.intp)
                bins[path] = np.where(known, np.add.reduceat(np.nan_to_num(alone), ranges[:-1]), np.nan)
            parts = below.pop(path, None)
            whole = alone if parts is None else _together(kind.aggregation, alone, parts)
            closed[:, path] = own[:, path] if parts is None else _measures(whole)
            if path in wanted:
                kept[path] = alone.copy(), whole.copy()
            above = experiment.call_paths[path].parent
            if above is not None:
                below[above] = _together(kind.aggregation, below[above], whole) if above in below else whole.copy()
    return Summary(own, closed, bins, kept)


def _together(aggregation: Aggregation, one: Numbers, other: Numbers) -> Numbers:
    """Return the aggregated values of two call paths, ``float64[location]``; NaN where both are NaN."""
    if aggregation == "none":
        return np.full_like(one, np.nan)
    if aggregation != "sum":
        return np.asarray((np.fmin if aggregation == "min" else np.fmax)(one, other))
    found = np.asarray(one + other)
    if np.isnan(found).any():
        found = np.where(np.isnan(one), other, np.where(np.isnan(other), one, found))
    return found


def _measures(values: Numbers) -> Numbers:
    """Return the ``MEASURES`` of ``float64[location]`` values, in their order."""
    missing = np.isnan(values)
    if missing.any():
        known = np.flatnonzero(~missing)
        if not len(known):
            return np.array([np.nan] * 6 + [0.0])
        found = _measures(values[known])
        found[4:6] = known[found[4:6].astype(np.intp)]
        return found
    least, most = int(values.argmin()), int(values.argmax())
    return np.array([values[least], values.mean(), values[most], values.std(), least, most, len(values)])
