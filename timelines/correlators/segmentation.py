"""Greedy top-down segmentation into lines, and patterns based on it (Hauswirth et al. 2005, 5.3).

A pattern is the target's course without noise. If users do not draw a pattern, one is proposed: the target is segmented
after single outliers are replaced by the running median (Hampel's filter), which keeps steps in place. Two outliers in
a row are kept as an event, because a wider filter removed the periodic writes of a real run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from ...analyze.run.arrays import Indices, Values
from ...analyze.run.outliers import without_outliers
from ...errors import InputError

__all__ = ["Fits", "Segmentation", "drawn_pattern", "proposed_pattern", "segmented", "suggested_count"]

_SHORTEST: Final = 2  # minimum number of samples per segment: enough for a line
_PARAMETERS: Final = 3  # number of parameters per segment: beginning, slope and intercept
_MOST: Final = 64  # maximum number of segments to suggest


class Fits:
    """Errors of least-squares lines through any range of samples, computed from cumulative sums.

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
    """

    def __init__(self, times: Values, values: Values) -> None:
        t, y = times - times.mean(), values - values.mean()
        terms = np.stack([np.ones(len(t)), t, t * t, y, t * y, y * y])
        self._sums = np.concatenate([np.zeros((len(terms), 1)), np.cumsum(terms, axis=1)], axis=1)

    def errors(self, first: npt.ArrayLike, last: npt.ArrayLike) -> Values:
        """Return the residual sum of squares for each range of samples, from ``first`` to ``last``, exclusive."""
        begin, end = np.broadcast_arrays(first, last)
        n, t, tt, y, ty, yy = self._sums[:, end] - self._sums[:, begin]
        spread = np.maximum(tt - t * t / n, 0.0)
        along = ty - t * y / n
        explained = np.divide(along * along, spread, out=np.zeros_like(spread), where=spread > 0)
        left: Values = np.maximum(yy - y * y / n - explained, 0.0)
        return left


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """Line segments through a sequence.

    Attributes:
        first: ``int[segment]``: the first sample of each segment, which ends where the next one begins.
        count: The number of samples.
        error: The residual sum of squares.
    """

    first: Indices
    count: int
    error: float

    def fitted(self, times: Values, values: Values) -> Values:
        """Return the lines' values at each sample, ``float64[n]``."""
        found = np.empty(len(values))
        for begin, end in zip(self.first, np.append(self.first[1:], self.count), strict=True):
            t, y = times[begin:end], values[begin:end]
            centred = t - t.mean()
            spread = centred @ centred
            found[begin:end] = y.mean() + (centred * (centred @ y / spread) if spread > 0 else 0.0)
        return found

    def boundaries(self, times: Values) -> Values:
        """Return the times of the boundaries between segments, ``float64[segment - 1]``."""
        inner = self.first[1:]
        middle: Values = (times[inner - 1] + times[inner]) / 2
        return middle


def segmented(times: Values, values: Values, count: int) -> Segmentation:
    """Split a sequence into line segments; each split is made where it reduces the error most.

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
        count: The number of segments; fewer if there are too few samples.
    """
    return list(_splits(times, values, count))[-1]


def suggested_count(times: Values, values: Values) -> int:
    """Return the number of segments with the lowest Bayesian information criterion (Schwarz, 1978).

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
    """
    n = len(values)
    least = 1e-12 * max(float(values.var()), 1e-300)
    best, chosen = np.inf, 1
    for number, each in enumerate(_splits(times, values, _MOST), 1):
        score = n * np.log(each.error / n + least) + _PARAMETERS * number * np.log(n)
        if score < best:
            best, chosen = score, number
    return chosen


def _splits(times: Values, values: Values, count: int) -> list[Segmentation]:
    """Return the segmentations with one segment, two segments, and so on, up to ``count``."""
    fits = Fits(times, values)
    n = len(values)
    firsts = [0]
    errors = [float(fits.errors(0, n))]
    found = [Segmentation(np.zeros(1, np.intp), n, errors[0])]
    open_splits = [_best_split(fits, 0, n)]
    while len(firsts) < count:
        number = max(range(len(firsts)), key=lambda each: open_splits[each][0])
        _, place = open_splits[number]
        if place < 0:
            break
        begin, end = firsts[number], firsts[number + 1] if number + 1 < len(firsts) else n
        firsts.insert(number + 1, place)
        open_splits[number : number + 1] = [_best_split(fits, begin, place), _best_split(fits, place, end)]
        errors[number : number + 1] = [float(fits.errors(begin, place)), float(fits.errors(place, end))]
        found.append(Segmentation(np.array(firsts, dtype=np.intp), n, sum(errors)))
    return found


def _best_split(fits: Fits, begin: int, end: int) -> tuple[float, int]:
    """Return by how much a segment's best split reduces the error, and the position of the split.

    Both are -1 if the segment cannot be split.
    """
    places = np.arange(begin + _SHORTEST, end - _SHORTEST + 1)
    if not len(places):
        return -1.0, -1
    errors = fits.errors(begin, places) + fits.errors(places, end)
    best = int(errors.argmin())
    return float(fits.errors(begin, end)) - float(errors[best]), int(places[best])


def drawn_pattern(points: Sequence[tuple[float, float]], times: Values) -> Values:
    """Return a polyline's values, ``float64[n]``, at the given times.

    ``points`` are the corners of the polyline, each with its time in seconds and its value.

    Raises:
        InputError: There are fewer than two points, or their times do not increase.
    """
    seconds = [time for time, _ in points]
    if len(points) < 2 or any(later < earlier for earlier, later in pairwise(seconds)):
        found = f"{len(points)} point{'s' * (len(points) != 1)}"
        found += f" at {', '.join(f'{time:g}' for time in seconds)} s" if points else ""
        raise InputError(f"expected a pattern of two or more points in order of time, found {found}")
    return np.interp(times, seconds, [value for _, value in points])


def proposed_pattern(times: Values, values: Values, count: int | None = None) -> tuple[Values, Segmentation]:
    """Propose a pattern for a target: line segments fitted to it without outliers.

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
        count: The number of segments; None for the suggested number.

    Returns:
        The pattern at each sample and its segments.
    """
    clean = without_outliers(values, in_a_row=1)
    lines = segmented(times, clean, suggested_count(times, clean) if count is None else count)
    return lines.fitted(times, clean), lines
