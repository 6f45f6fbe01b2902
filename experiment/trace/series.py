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

    def known(self) -> Series:
        """Give the series without missing values."""
        return self.part(~np.isnan(self.values))

    def part(self, taken: npt.NDArray[np.bool_]) -> Series:
        """Give some of the samples."""
        return replace(self, begin=self.begin[taken], times=self.times[taken], values=self.values[taken])


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """The samples of a metric on one location: when they begin and end, and the rate or level in each."""

    begin: Values
    end: Values
    values: Values

    def over(self, edges: Values) -> Values:
        """Give the means between edges, NaN where less than half of it is known."""
        known = ~np.isnan(self.values)
        begin, length = self.begin[known], (self.end - self.begin)[known]
        # Sums up to the edges: a sample may begin later than the one before ends.
        knots = np.column_stack([begin, self.end[known]]).ravel()
        amounts = np.column_stack([np.zeros(len(length)), self.values[known] * length]).ravel().cumsum()
        covered = np.column_stack([np.zeros(len(length)), length]).ravel().cumsum()
        if not len(knots):
            return np.full(len(edges) - 1, np.nan)
        amount, cover = (np.diff(np.interp(edges, knots, each)) for each in (amounts, covered))
        means: Values = np.divide(amount, cover, out=np.full(len(cover), np.nan), where=cover > np.diff(edges) / 2)
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
    found = [line for line in lines if len(line.end)]
    if not found:
        raise InputError(f"{source}: expected samples of {metric}{' on these ranks' if ranks else ''}, found none")
    if len(found) == 1:
        line = found[0]
        return Series(metric, unit, source, line.begin, line.end, line.values)
    step = float(np.median(np.concatenate([line.end - line.begin for line in found])))
    first, last = min(line.begin[0] for line in found), max(line.end[-1] for line in found)
    edges = np.linspace(first, last, max(round((last - first) / step), 1) + 1)
    table = np.array([line.over(edges) for line in found])
    known = (~np.isnan(table)).sum(axis=0)
    mean = np.divide(np.nansum(table, axis=0), known, out=np.full(len(known), np.nan), where=known > 0)
    return Series(metric, unit, source, edges[:-1], edges[1:], mean)


def _of_trace(trace: Trace, metric: str, ranks: Collection[int] | None) -> tuple[str, Iterator[_Line]]:
    """Give rates of what adds up, and levels."""
    column = trace.column(metric)
    about = trace.metrics[column]

    def lines() -> Iterator[_Line]:
        for number, place in enumerate(trace.locations):
            if ranks is None or place.process in ranks:
                line = trace.line(number)
                longer = line.end > line.begin
                begin, end, values = line.begin[longer], line.end[longer], line.values[longer, column]
                yield _Line(begin, end, values / (end - begin) if about.additive else values)

    return (f"{about.unit}/sec" if about.additive else about.unit), lines()


def _of_samples(samples: Samples, metric: str, ranks: Collection[int] | None) -> tuple[str, Iterator[_Line]]:
    """Give values as they are; each holds since the sample before it. Samples of one moment are one, their mean."""
    column = samples.metrics.index(metric)

    def lines() -> Iterator[_Line]:
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
            yield _Line(np.concatenate([times[:1] - step, times[:-1]]), times, means)

    return samples.units[column], lines()
