"""Means of samples over other spans of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..metric import Metric

__all__ = ["means", "rates"]

_ROUNDINGS: Final = 8  # units in the last place of a sum that a difference of two sums may be off

Values = npt.NDArray[np.float64]


def means(begin: Values, end: Values, values: Values, first: Values, last: Values) -> Values:
    """Give the means over spans, ``float64[span, metric]``; NaN where half of a span or more is unknown.

    Args:
        begin: ``float64[sample]``, seconds.
        end: Likewise; after ``begin``, and not after the next one's.
        values: ``float64[sample, metric]``, each during the whole sample; NaN where it is not known.
        first: ``float64[span]``, seconds.
        last: Likewise, not before ``first``. A span of no length has the value of the sample that it lies in.
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
    """Give amounts a second of what adds up, and levels, ``float64[sample, metric]``; a sample of no length has none.

    Args:
        metrics: The columns.
        begin: ``float64[sample]``, seconds.
        end: Likewise.
        values: ``float64[sample, metric]``: what passed in the sample, or levels.
    """
    length = np.where(end > begin, end - begin, np.nan)[:, None]
    return np.where([metric.additive for metric in metrics], values / length, values + 0 * length)


def _upto(amounts: Values) -> Values:
    """Sum up to each knot: nothing passes from the end of a sample to the next one's begin."""
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
