"""Cached summaries of a metric: sums over locations, missing values, and the values of sampled locations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from ...experiment import Experiment
from .arrays import Flags, Indices, Values
from .location_blocks import over_locations

__all__ = ["Summary", "is_of_all_runs", "sampled", "summaries", "summary"]

_SAMPLED: Final = 1 << 18  # values kept per metric: 2 MiB, for example 200 call paths on 1310 locations


@dataclass(frozen=True, slots=True)
class Summary:
    """A metric over all locations; missing values count as 0 in sums.

    Attributes:
        sums: ``float64[call path]``: exclusive values, summed over all locations.
        first: ``float64[call path]``: exclusive values, summed over the first thread of each process.
        least: ``float64[call path]``: the smallest value of any location.
        most: ``float64[call path]``: the largest value of any location.
        positive: The number of values above 0.
        missing: The first location that lacks a value; None if there is none.
        sample: ``float64[call path, sampled location]``; see ``sampled``.
    """

    sums: Values
    first: Values
    least: Values
    most: Values
    positive: int
    missing: int | None
    sample: Values

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(float(self.most.max(initial=0.0)), -float(self.least.min(initial=0.0)))


_KNOWN: Final[WeakKeyDictionary[Experiment, dict[str, Summary]]] = WeakKeyDictionary()


def sampled(experiment: Experiment) -> Indices:
    """Return the positions of representative locations: all if there are few, otherwise an evenly spread sample."""
    everyone = len(experiment.locations)
    some = min(everyone, max(1, _SAMPLED // max(1, len(experiment.call_paths))))
    return np.arange(some, dtype=np.intp) * everyone // max(1, some)


def is_of_all_runs(experiment: Experiment, metric: str) -> bool:
    """Return whether a metric exists in all runs from which an experiment was computed."""
    return metric in experiment and metric not in experiment.notes.one_sided


def summary(experiment: Experiment, metric: str) -> Summary:
    """Return the summary of a metric."""
    return summaries(experiment, [metric])[metric]


def summaries(experiment: Experiment, metrics: Iterable[str]) -> dict[str, Summary]:
    """Return all cached summaries by metric, including those of the given metrics, which are read together."""
    assert not experiment.is_part  # a block alone does not show whether the metric has missing values
    known = _KNOWN.setdefault(experiment, {})
    names = [name for name in dict.fromkeys(metrics) if name not in known]
    if names:
        for name, *parts in zip(names, *over_locations(experiment, _of_block, names, sampled(experiment)), strict=True):
            known[name] = parts[0] if len(parts) == 1 else _together(parts)
    return known


def _of_block(part: Experiment, columns: slice, names: list[str], chosen: Indices) -> list[Summary]:
    first = np.array([place.thread == 0 for place in part.locations], dtype=bool)
    some = chosen[(chosen >= columns.start) & (chosen < columns.stop)] - columns.start
    return [_summary(part.exclusive(name), first, columns.start, some) for name in names]


def _summary(values: Values, first: Flags, start: int, some: Indices) -> Summary:
    missing = None
    with np.errstate(over="ignore", invalid="ignore"):  # the caller raises an error for values that are too large
        sums = values.sum(axis=1)
    if np.isnan(sums).any() and (lacking := np.isnan(values)).any():
        missing, values = start + int(lacking.any(axis=0).argmax()), np.where(lacking, 0.0, values)
        sums = values.sum(axis=1)
    of_first = sums if first.all() else values[:, first].sum(axis=1)
    positive = int(np.count_nonzero(values > 0))
    least, most = (values.min(axis=1), values.max(axis=1)) if values.shape[1] else (sums, sums)
    return Summary(sums, of_first, least, most, positive, missing, values[:, some])


def _together(parts: list[Summary]) -> Summary:
    return Summary(
        np.sum([each.sums for each in parts], axis=0),
        np.sum([each.first for each in parts], axis=0),
        np.min([each.least for each in parts], axis=0),
        np.max([each.most for each in parts], axis=0),
        sum(each.positive for each in parts),
        next((each.missing for each in parts if each.missing is not None), None),
        np.concatenate([each.sample for each in parts], axis=1),
    )
