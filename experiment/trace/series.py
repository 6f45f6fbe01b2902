"""One metric over time: what traces are compared by."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from .samples import Samples
from .time_line import Trace

__all__ = ["Series", "series_of"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A metric of a trace, over time.

    Attributes:
        name: The metric.
        unit: Of a rate, that of the metric over ``sec``.
        source: The trace's file.
        begin: ``float64[sample]``, seconds.
        times: ``float64[sample]``, seconds, increasing: where samples end.
        values: ``float64[sample]``: rates of our own traces' sums, otherwise as they are in the trace; the mean of
            locations. NaN where missing.
    """

    name: str
    unit: str
    source: str
    begin: Values
    times: Values
    values: Values

    def __len__(self) -> int:
        return len(self.times)

    def over(self, begin: Values, end: Values) -> Values:
        """Give the means over other samples, ``float64[other]``; NaN where less than half of one is known.

        Args:
            begin: ``float64[other]``, seconds.
            end: Likewise, after ``begin``.
        """
        return _means(self, begin, end)

    def known(self) -> Series:
        """Give the series without missing values."""
        return self.part(~np.isnan(self.values))

    def part(self, taken: npt.NDArray[np.bool_]) -> Series:
        """Give some of the samples."""
        return replace(self, begin=self.begin[taken], times=self.times[taken], values=self.values[taken])


def _means(series: Series, begin: Values, end: Values) -> Values:
    """Give means by sums up to each moment; a sample may begin later than the one before ends."""
    known = series.known()
    length = known.times - known.begin
    knots = np.column_stack([known.begin, known.times]).ravel()
    amounts = np.column_stack([np.zeros(len(length)), known.values * length]).ravel().cumsum()
    covered = np.column_stack([np.zeros(len(length)), length]).ravel().cumsum()
    if not len(knots):
        return np.full(len(begin), np.nan)
    amount, cover = (np.interp(end, knots, each) - np.interp(begin, knots, each) for each in (amounts, covered))
    means: Values = np.divide(amount, cover, out=np.full(len(cover), np.nan), where=cover > (end - begin) / 2)
    return means


def series_of(trace: Samples | Trace, metric: str, source: str = "", *, ranks: Collection[int] | None = None) -> Series:
    """Give a metric over time, as the mean of locations.

    A location alone keeps its samples; of several the means over equal steps, as long as samples are, are taken.

    Args:
        trace: Of any tool.
        metric: One of its metrics.
        source: What the trace is called.
        ranks: Those that are wanted; None for all.

    Raises:
        InputError: There is no such metric, none of the ranks, or no sample.
    """
    names = [each.name for each in trace.metrics] if isinstance(trace, Trace) else trace.metrics
    if metric not in names:
        raise InputError(f"{source}: expected the metric {metric}, found {', '.join(names)}")
    unit, lines = _of_trace(trace, metric, ranks) if isinstance(trace, Trace) else _of_samples(trace, metric, ranks)
    found = [line for line in lines if len(line)]
    if not found:
        raise InputError(f"{source}: expected samples of {metric}{' on these ranks' if ranks else ''}, found none")
    if len(found) == 1:
        line = found[0]
        return replace(line, unit=unit, source=source)
    step = float(np.median(np.concatenate([line.times - line.begin for line in found])))
    first, last = min(line.begin[0] for line in found), max(line.times[-1] for line in found)
    edges = np.linspace(first, last, max(round((last - first) / step), 1) + 1)
    table = np.array([line.over(edges[:-1], edges[1:]) for line in found])
    known = (~np.isnan(table)).sum(axis=0)
    mean = np.divide(np.nansum(table, axis=0), known, out=np.full(len(known), np.nan), where=known > 0)
    return Series(metric, unit, source, edges[:-1], edges[1:], mean)


def _of_trace(trace: Trace, metric: str, ranks: Collection[int] | None) -> tuple[str, Iterator[Series]]:
    """Give rates of what adds up, and levels."""
    column = trace.column(metric)
    about = trace.metrics[column]
    unit = f"{about.unit}/sec" if about.additive else about.unit

    def lines() -> Iterator[Series]:
        for number, place in enumerate(trace.locations):
            if ranks is None or place.process in ranks:
                line = trace.line(number)
                longer = line.end > line.begin
                begin, end, values = line.begin[longer], line.end[longer], line.values[longer, column]
                yield Series(metric, unit, "", begin, end, values / (end - begin) if about.additive else values)

    return unit, lines()


def _of_samples(samples: Samples, metric: str, ranks: Collection[int] | None) -> tuple[str, Iterator[Series]]:
    """Give values as they are; each holds since the sample before it. Samples of one moment are one, their mean."""
    column = samples.metrics.index(metric)

    def lines() -> Iterator[Series]:
        for number, (process, _) in enumerate(samples.locations):
            if ranks is not None and process not in ranks:
                continue
            mine = samples.part(np.flatnonzero(samples.places == number))
            values = mine.values[:, column]
            known = ~np.isnan(values)
            times, place = np.unique(mine.times[known], return_inverse=True)
            means = np.bincount(place, values[known], len(times)) / np.maximum(
                np.bincount(place, minlength=len(times)), 1
            )
            step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
            yield Series(metric, "", "", np.concatenate([times[:1] - step, times[:-1]]), times, means)

    return samples.units[column], lines()
