"""Find the runs of a history from which a value is larger or smaller for good.

A series is divided at the most likely place if noise only adds to values, as in ``compare``, or else where the ranks of
its values differ most on both sides (Pettitt 1979). Its parts are divided again, as long as a change is certain. The
two sides are then compared as repeated runs of two versions are, with the same confidence. Bonferroni's correction
allows for the number of series, and of places where each could be divided.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final, TypeVar

import numpy as np

from ..comparison.noise import CONFIDENCE, shift
from ..run.arrays import Values

__all__ = ["LEAST_CHANGE", "Change", "Series", "changes_of"]

Key = TypeVar("Key", bound=Hashable)

LEAST_CHANGE: Final = 0.005  # share of the program; the counts of equal runs differ by less than 0.1 %


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one metric of one place, in the order of the runs.

    Attributes:
        runs: Indices of the runs that have a value, ascending.
        values: Their values, above 0.
        repeats: Whether equal runs have equal values.
        program: The values of the program in these runs.
    """

    runs: tuple[int, ...]
    values: tuple[float, ...]
    repeats: bool
    program: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A value changed from a run on.

    Attributes:
        run: Index of the first run with the new value.
        last: Index of the last run with the old value.
        before: Median of the runs since the change before.
        after: Median of the runs up to the next change.
    """

    run: int
    last: int
    before: float
    after: float

    @property
    def relative(self) -> float:
        """The change as a share of the value before: 0.1 if it is 10 % more."""
        return self.after / self.before - 1


def changes_of(series: Mapping[Key, Series]) -> dict[Key, list[Change]]:
    """Return the changes of each series that has any, in the order of the runs."""
    tests = sum(max(len(each.runs) - 1, 0) for each in series.values())
    found = {key: _changes(each, tests) for key, each in series.items()}
    return {key: each for key, each in found.items() if each}


def _changes(series: Series, tests: int) -> list[Change]:
    """Return the changes of one series, if so many places are tested in all."""
    starts = [0, *sorted(_starts(series, 0, len(series.values), tests)), len(series.values)]
    parts = [series.values[start:end] for start, end in pairwise(starts)]
    return [
        Change(series.runs[start], series.runs[start - 1], median(before), median(after))
        for start, before, after in zip(starts[1:], parts, parts[1:], strict=False)
    ]


def _starts(series: Series, first: int, end: int, tests: int) -> Iterator[int]:
    """Yield the places between ``first`` and ``end`` where a new value begins."""
    if end - first < 2:
        return
    values = series.values[first:end]
    for place in dict.fromkeys((_by_floors(values, 1 if series.repeats else 2), _by_ranks(values))):
        before, after = values[:place], values[place:]
        size = abs(median(after) - median(before))
        found = shift(before, after, repeats=series.repeats)
        is_large = size >= LEAST_CHANGE * median(series.program[first:end])
        if is_large and min(found.above, found.below) * tests < 1 - CONFIDENCE:
            yield first + place
            yield from _starts(series, first, first + place, tests)
            yield from _starts(series, first + place, end, tests)
            return


def _by_floors(values: Sequence[float], least: int) -> int:
    """Return the most likely place of a change, if noise only ever adds to a value, exponentially distributed.

    Args:
        values: The values.
        least: The fewest values on each side, if there are so many.
    """
    logs = np.log(values)
    left, right = _above_floor(logs), _above_floor(logs[::-1])[::-1]
    sums = left[:-1] + right[1:]
    if len(values) >= 2 * least:
        sums[: least - 1] = sums[len(sums) - (least - 1) :] = np.inf
    return int(sums.argmin()) + 1


def _above_floor(logs: Values) -> Values:
    """Return, for each beginning of a series, the sum of its values less their minimum each."""
    return np.asarray(np.cumsum(logs) - np.arange(1, len(logs) + 1) * np.minimum.accumulate(logs))


def _by_ranks(values: Sequence[float]) -> int:
    """Return the place where the standardised rank sums of both sides differ most, whatever a few runs are like."""
    ordered = np.array(values)
    count = len(ordered)
    signs = np.sign(ordered[None, :] - ordered[:, None]).sum(axis=1)  # how many are larger, less how many are smaller
    sizes = np.arange(1, count)
    score = np.abs(np.cumsum(signs)[:-1]) / np.sqrt(sizes * (count - sizes))
    return int(score.argmax()) + 1
