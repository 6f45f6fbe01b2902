"""A metric of a trace over time, for comparisons of traces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError, way_out
from .means import means, rates
from .samples import Samples
from .time_line import Trace

__all__ = ["Series", "every_series", "series_of"]

Values = npt.NDArray[np.float64]

_FINER: Final = 4  # maximum number of steps per sample of the longest time line; samples may differ in length


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A metric of a trace, over time.

    Attributes:
        name: The metric.
        unit: The unit; for a rate, the metric's unit over ``sec``.
        rate: Whether values are rates per second of an additive metric.
        source: The trace's file.
        begin: ``float64[sample]``: the beginnings of samples, in seconds.
        times: ``float64[sample]``: the ends of samples, in seconds, increasing.
        values: ``float64[sample]``: means over locations. They are rates for additive metrics of autoanalyzer's own
            traces, and otherwise as in the trace. NaN if missing.
    """

    name: str
    unit: str
    rate: bool
    source: str
    begin: Values
    times: Values
    values: Values

    def __len__(self) -> int:
        return len(self.times)

    def over(self, begin: Values, end: Values) -> Values:
        """Return the means over other intervals, ``float64[other]``; NaN for those of which at least half is unknown.

        Args:
            begin: ``float64[other]``, seconds.
            end: ``float64[other]``, seconds, not before ``begin``.
        """
        return means(self.begin, self.times, self.values[:, None], begin, end)[:, 0]

    def known(self) -> Series:
        """Return the series without missing values."""
        return self.part(~np.isnan(self.values))

    def part(self, taken: npt.NDArray[np.bool_]) -> Series:
        """Return the series with only some samples, ``bool[sample]``."""
        return replace(self, begin=self.begin[taken], times=self.times[taken], values=self.values[taken])


class _Line(NamedTuple):
    """Some metrics of a location over time; the values are ``float64[sample, metric]``."""

    begin: Values
    end: Values
    values: Values


def series_of(trace: Samples | Trace, metric: str, source: str = "", *, ranks: Collection[int] | None = None) -> Series:
    """Return a metric over time, as the mean over locations.

    A single location keeps its samples; several locations are averaged in equal steps, each about as long as a sample.

    Args:
        trace: A trace of any tool.
        metric: One of the trace's metrics.
        source: The trace's name.
        ranks: The ranks to include; None for all.

    Raises:
        InputError: There is no such metric, or it has no sample on these ranks.
    """
    names = _names(trace)
    if metric not in names:
        raise InputError(
            f"{source}: expected the metric {metric}, found no metric of this name; {way_out(metric, names)}"
        )
    found = _some(trace, (metric,), source, ranks)
    if not found:
        raise InputError(f"{source}: expected samples of {metric}{' on these ranks' if ranks else ''}, found none")
    return found[0]


def every_series(trace: Samples | Trace, source: str = "", *, ranks: Collection[int] | None = None) -> list[Series]:
    """Return all metrics over time, as means over locations; metrics without samples are left out.

    Args:
        trace: A trace of any tool.
        source: The trace's name.
        ranks: The ranks to include; None for all.
    """
    names = _names(trace)
    if isinstance(trace, Trace):
        return _some(trace, names, source, ranks)
    return [series for name in names for series in _some(trace, (name,), source, ranks)]


def _names(trace: Samples | Trace) -> Sequence[str]:
    return [each.name for each in trace.metrics] if isinstance(trace, Trace) else trace.metrics


def _some(trace: Samples | Trace, metrics: Sequence[str], source: str, ranks: Collection[int] | None) -> list[Series]:
    """Return the series of metrics that share samples: several metrics of our own trace, or a single one of another."""

    def lines() -> Iterator[_Line]:
        found = _of_trace(trace, metrics, ranks) if isinstance(trace, Trace) else _of_samples(trace, metrics[0], ranks)
        return (line for line in found if len(line.end))

    mean = _mean(lines)
    if mean is None:
        return []
    return [
        Series(metric, *_about(trace, metric), source, mean.begin, mean.end, values)
        for metric, values in zip(metrics, mean.values.T, strict=True)
    ]


def _about(trace: Samples | Trace, metric: str) -> tuple[str, bool]:
    """Return the unit of a series, and whether it is a rate, which is true for additive metrics of our own traces."""
    if not isinstance(trace, Trace):
        return trace.units[trace.metrics.index(metric)], False
    about = trace.metrics[trace.column(metric)]
    return (f"{about.unit}/sec", True) if about.additive else (about.unit, False)


def _mean(lines: Callable[[], Iterator[_Line]]) -> _Line | None:
    spans = np.array(
        [(line.begin[0], line.end[-1], np.median(line.end - line.begin), len(line.end)) for line in lines()]
    )
    if len(spans) < 2:
        return next(lines(), None)
    start, end, step = spans[:, 0].min(), spans[:, 1].max(), np.median(spans[:, 2])
    steps = min(max(round((end - start) / step), 1), _FINER * int(spans[:, 3].max()))
    edges = np.linspace(start, end, steps + 1)
    total = known = np.zeros(1)
    for line in lines():
        table = means(*line, edges[:-1], edges[1:])
        total = total + np.nan_to_num(table)
        known = known + ~np.isnan(table)
    return _Line(edges[:-1], edges[1:], np.divide(total, known, out=np.full(total.shape, np.nan), where=known > 0))


def _of_trace(trace: Trace, metrics: Sequence[str], ranks: Collection[int] | None) -> Iterator[_Line]:
    """Yield each location's metrics: additive ones as rates, and levels."""
    columns = [trace.column(metric) for metric in metrics]
    wanted = [trace.metrics[column] for column in columns]
    for number, place in enumerate(trace.locations):
        if ranks is None or place.process in ranks:
            line = trace.line(number)
            longer = line.end > line.begin
            begin, end = line.begin[longer], line.end[longer]
            yield _Line(begin, end, rates(wanted, begin, end, line.values[longer][:, columns]))


def _of_samples(samples: Samples, metric: str, ranks: Collection[int] | None) -> Iterator[_Line]:
    """Yield each location's values, which apply since the previous sample; samples at the same time are averaged."""
    column = samples.metrics.index(metric)
    for number, (process, _) in enumerate(samples.locations):
        if ranks is None or process in ranks:
            mine = samples.part(np.flatnonzero(samples.places == number))
            values = mine.values[:, column]
            known = ~np.isnan(values)
            times, place = np.unique(mine.times[known], return_inverse=True)
            found = np.bincount(place, values[known], len(times)) / np.bincount(place, minlength=len(times))
            step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
            yield _Line(np.concatenate([times[:1] - step, times[:-1]]), times, found[:, None])
