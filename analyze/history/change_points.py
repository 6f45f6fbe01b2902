"""Find the runs in a history at which a value becomes larger or smaller for good.

A series is split at one of two places: the most likely place if noise only adds to values, as in ``compare``, or the
place at which the ranks of the values differ most between the two sides (Pettitt 1979). The two sides are compared like
repeated runs of two versions, with the same confidence. Unless values repeat exactly, a rank test, which is valid for
any distribution of the noise, must confirm the change with the same confidence (Mann and Whitney 1947). Bonferroni's
correction allows for the number of places, over all series, where a series could be split. If the change is certain,
both sides are searched for further changes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final, TypeVar

import numpy as np

from ..comparison.noise import CONFIDENCE, by_ranks, shift
from ..run.arrays import Values

__all__ = ["LEAST_CHANGE", "Change", "Series", "changes_of"]

Key = TypeVar("Key", bound=Hashable)

LEAST_CHANGE: Final = 0.005  # share of the program; counts of the same program differ by less than 0.1 % between runs


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one metric for one place (the program or a region), in the order of the runs.

    Attributes:
        runs: Indices of the runs that have a value, ascending.
        values: The values in these runs, above 0.
        repeats: Whether repeated runs of the same program have identical values.
        program: The values for the whole program in these runs.
        places: Indices of values whose commit differs from that of the previous value, ascending.
    """

    runs: tuple[int, ...]
    values: tuple[float, ...]
    repeats: bool
    program: tuple[float, ...]
    places: tuple[int, ...]

    def since(self, first: int) -> list[float]:
        """Return the values of run ``first`` and of all later runs."""
        return [value for run, value in zip(self.runs, self.values, strict=True) if run >= first]


@dataclass(frozen=True, slots=True)
class Change:
    """A lasting change of a value.

    Attributes:
        run: Index of the first run with the new value.
        last: Index of the last run with the old value.
        before: Median of the values since the previous change.
        after: Median of the values up to the next change.
    """

    run: int
    last: int
    before: float
    after: float

    @property
    def relative(self) -> float:
        """The change as a share of the old value: 0.1 if the new value is 10 % larger."""
        return self.after / self.before - 1


def changes_of(series: Mapping[Key, Series]) -> dict[Key, list[Change]]:
    """Return the changes in each series, in the order of the runs; series without a change are left out."""
    tests = sum(len(each.places) for each in series.values())
    found = {key: _changes(each, tests) for key, each in series.items()}
    return {key: each for key, each in found.items() if each}


def _changes(series: Series, tests: int) -> list[Change]:
    """Return the changes of one series; ``tests`` is the number of places tested in all series."""
    starts = [0, *sorted(_starts(series, 0, len(series.values), tests)), len(series.values)]
    parts = [series.values[start:end] for start, end in pairwise(starts)]
    return [
        Change(series.runs[start], series.runs[start - 1], median(before), median(after))
        for start, before, after in zip(starts[1:], parts, parts[1:], strict=False)
    ]


def _starts(series: Series, first: int, end: int, tests: int) -> Iterator[int]:
    """Yield the places between ``first`` and ``end`` where a new value begins."""
    places = np.array([each - first for each in series.places if first < each < end])
    if not places.size:
        return
    values = series.values[first:end]
    for place in dict.fromkeys((_by_floors(values, places, 1 if series.repeats else 2), _by_ranks(values, places))):
        before, after = values[:place], values[place:]
        size = abs(median(after) - median(before))
        is_large = size >= LEAST_CHANGE * median(series.program[first:end])
        if is_large and _is_certain(before, after, series.repeats, (1 - CONFIDENCE) / tests):
            yield first + place
            yield from _starts(series, first, first + place, tests)
            yield from _starts(series, first + place, end, tests)
            return


def _is_certain(before: Sequence[float], after: Sequence[float], repeats: bool, most: float) -> bool:
    """Return whether equal runs would differ this much, in either direction, with a probability below ``most``."""
    found = shift(before, after, repeats=repeats)
    if 2 * min(found.above, found.below) >= most:
        return False
    return repeats or by_ranks(before, after) < most


def _by_floors(values: Sequence[float], places: Values, least: int) -> int:
    """Return the most likely place of a change, if noise is exponentially distributed and only adds to values.

    Args:
        values: The values.
        places: Indices of the values at which a change may begin.
        least: The minimum number of values on each side, if there are such places.
    """
    logs = np.log(values)
    left, right = _above_floor(logs), _above_floor(logs[::-1])[::-1]
    sums = (left[:-1] + right[1:])[places - 1]
    inner = (places >= least) & (places <= len(values) - least)
    return int(places[np.where(inner | ~inner.any(), sums, np.inf).argmin()])


def _above_floor(logs: Values) -> Values:
    """Return, for each leading part of a series, the sum of its values' distances from its minimum."""
    return np.asarray(np.cumsum(logs) - np.arange(1, len(logs) + 1) * np.minimum.accumulate(logs))


def _by_ranks(values: Sequence[float], places: Values) -> int:
    """Return the place where the standardised rank sums of both sides differ most, which is robust to outliers."""
    ordered = np.array(values)
    signs = np.sign(ordered[None, :] - ordered[:, None]).sum(axis=1)  # number of larger minus number of smaller values
    score = np.abs(np.cumsum(signs)[places - 1]) / np.sqrt(places * (len(ordered) - places))
    return int(places[score.argmax()])
