"""Compute means of samples over other intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..metric import Metric

__all__ = ["means", "rates"]

_ROUNDINGS: Final = 8  # rounding error of the difference of two sums, in units in the last place of a sum

Values = npt.NDArray[np.float64]


def means(begin: Values, end: Values, values: Values, first: Values, last: Values) -> Values:
    """Return the means over intervals, ``float64[span, metric]``; NaN for intervals of which at least half is unknown.

    Args:
        begin: ``float64[sample]``, seconds.
        end: ``float64[sample]``, seconds; not before ``begin``, and not after the ``begin`` of the next sample.
        values: ``float64[sample, metric]``, constant during a sample; NaN if unknown.
        first: ``float64[span]``, seconds.
        last: ``float64[span]``, seconds, not before ``first``. If both are equal, the value of the sample around this
            time is returned.
    """
    if not len(end):
        return np.full((len(first), values.shape[1]), np.nan)
    known = ~np.isnan(values)
    length = (end - begin)[:, None]
    knots = np.column_stack([begin, end]).ravel()
    amounts, covered = (_upto(each * length) for each in (np.where(known, values, 0.0), known))
    amount, cover = (_at(last, knots, each) - _at(first, knots, each) for each in (amounts, covered))
    amount[np.abs(amount) <= _ROUNDINGS * np.spacing(np.abs(amounts).max(axis=0))] = 0.0
    span = (last - first)[:, None]
    found: Values = np.divide(amount, cover, out=np.full(amount.shape, np.nan), where=cover > span / 2)
    points = np.flatnonzero(last <= first)
    place = np.searchsorted(end, first[points]).clip(max=len(end) - 1)
    inside = (begin[place] <= first[points]) & (first[points] <= end[place])
    found[points[inside]] = values[place[inside]]
    return found


def rates(metrics: Sequence[Metric], begin: Values, end: Values, values: Values) -> Values:
    """Return additive metrics as rates per second, and levels unchanged, ``float64[sample, metric]``.

    Samples of length 0 become NaN.

    Args:
        metrics: The metrics of the columns.
        begin: ``float64[sample]``, seconds.
        end: ``float64[sample]``, seconds.
        values: ``float64[sample, metric]``: amounts during the sample, or levels.
    """
    length = np.where(end > begin, end - begin, np.nan)[:, None]
    return np.where([metric.additive for metric in metrics], values / length, values + 0 * length)


def _upto(amounts: Values) -> Values:
    """Return the cumulative sums at the beginning and at the end of each sample; nothing is added between samples."""
    table = np.zeros((2 * len(amounts), amounts.shape[1]))
    table[1::2] = amounts
    summed: Values = table.cumsum(axis=0)
    return summed


def _at(times: Values, knots: Values, table: Values) -> Values:
    place = np.searchsorted(knots, times, side="right").clip(1, len(knots) - 1)
    gap = knots[place] - knots[place - 1]
    part = np.divide(times - knots[place - 1], gap, out=np.zeros(len(times)), where=gap > 0).clip(0, 1)[:, None]
    found: Values = table[place - 1] * (1 - part) + table[place] * part
    return found
