"""Piecewise linear segmentation: greedy, iterative, top-down (section 5.3), and patterns, which are made by it (5.3.3).

A pattern is what remains of a target without its noise. A person draws one in a moment. One that is proposed is a
segmentation of the target in which what is far from the running median is replaced by it (Hampel's filter): steps stay
where they are, and single points do not count. What is far off for two samples is something that happens: with a wider
median the periodic writes of a real run vanished.
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

_SHORTEST: Final = 2  # samples, through which there is a line
_PARAMETERS: Final = 3  # of a segment: where it begins, slope and intercept
_MOST: Final = 64  # segments that are suggested


class Fits:
    """Least-squares lines through any run of samples, from sums that are formed once.

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
    """

    def __init__(self, times: Values, values: Values) -> None:
        t, y = times - times.mean(), values - values.mean()
        terms = np.stack([np.ones(len(t)), t, t * t, y, t * y, y * y])
        self._sums = np.concatenate([np.zeros((len(terms), 1)), np.cumsum(terms, axis=1)], axis=1)

    def errors(self, first: npt.ArrayLike, last: npt.ArrayLike) -> Values:
        """Give the sum of squares that remains of each run of samples, from first to before last."""
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
        first: ``int[segment]``: where each begins; it ends before the next one.
        count: How many samples there are.
        error: The sum of squares that remains.
    """

    first: Indices
    count: int
    error: float

    def fitted(self, times: Values, values: Values) -> Values:
        """Give the lines' values at each sample, ``float64[n]``."""
        found = np.empty(len(values))
        for begin, end in zip(self.first, np.append(self.first[1:], self.count), strict=True):
            t, y = times[begin:end], values[begin:end]
            centred = t - t.mean()
            spread = centred @ centred
            found[begin:end] = y.mean() + (centred * (centred @ y / spread) if spread > 0 else 0.0)
        return found

    def boundaries(self, times: Values) -> Values:
        """Give when one segment ends and the next begins, ``float64[segment - 1]``."""
        inner = self.first[1:]
        middle: Values = (times[inner - 1] + times[inner]) / 2
        return middle


def segmented(times: Values, values: Values, count: int) -> Segmentation:
    """Split a sequence into line segments: each split is that which lowers the error most, and stays.

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
        count: How many segments; fewer if there are not so many samples.
    """
    return list(_splits(times, values, count))[-1]


def suggested_count(times: Values, values: Values) -> int:
    """Suggest a number of segments: that with the least Bayesian information criterion (Schwarz, 1978).

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
    """Give the segmentations with one segment, two, and so on."""
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
    """Give by how much the best split of a segment lowers the error, and where it is; -1 if it cannot be split."""
    places = np.arange(begin + _SHORTEST, end - _SHORTEST + 1)
    if not len(places):
        return -1.0, -1
    errors = fits.errors(begin, places) + fits.errors(places, end)
    best = int(errors.argmin())
    return float(fits.errors(begin, end)) - float(errors[best]), int(places[best])


def drawn_pattern(points: Sequence[tuple[float, float]], times: Values) -> Values:
    """Give the values of a pattern that is drawn as points, seconds and value, with lines between.

    Raises:
        InputError: There are fewer than two points, or they do not follow each other.
    """
    seconds = [time for time, _ in points]
    if len(points) < 2 or any(later < earlier for earlier, later in pairwise(seconds)):
        raise InputError(f"expected two points of a pattern or more, one after the other, found {len(points)}")
    return np.interp(times, seconds, [value for _, value in points])


def proposed_pattern(times: Values, values: Values, count: int | None = None) -> tuple[Values, Segmentation]:
    """Propose a pattern.

    Args:
        times: ``float64[n]``, increasing.
        values: ``float64[n]``.
        count: Of segments; None for what is suggested.

    Returns:
        The pattern at each sample, and its segments.
    """
    clean = without_outliers(values, in_a_row=1)
    lines = segmented(times, clean, suggested_count(times, clean) if count is None else count)
    return lines.fitted(times, clean), lines
