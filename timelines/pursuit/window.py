"""Windows that slide over a trace, each smoothed to a point a location (paper 004, 3.2.1 and equation 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite
from typing import Final

import numpy as np

from ...analyze.run.arrays import Indices, Values
from ...errors import InputError
from ...experiment.trace import Samples
from ...multivariate.metric_space import Point

__all__ = ["SlidingWindow", "Window", "smoothed"]

_ROUNDINGS: Final = 8  # units in the last place of a time that its sums with widths may be off
_DIGITS: Final = 8 * _ROUNDINGS  # such units from one window to the next, at least


@dataclass(frozen=True)
class Window:
    """A part of a trace.

    Attributes:
        start: Seconds.
        end: Seconds; samples at this very time are in the next window, if there is one.
        samples: What is in it.
        fresh: How many samples came after the end of the window before.
    """

    start: float
    end: float
    samples: Samples
    fresh: int


class SlidingWindow:
    """Cuts a trace into windows of one width, as its samples come.

    A window is complete when each location that was seen has passed its end, or any is a width beyond: one that has
    ended holds up nothing. Samples that come after that are left out. In O(samples) a window, as long as a trace is.

    Attributes:
        late: How many samples came after their window.
        empty: How many windows held no sample, and were passed over.
        locations: Process and thread of those that were seen.
    """

    def __init__(self, width: float = inf, every: float | None = None) -> None:
        self.late = 0
        self.empty = 0
        self.locations: Sequence[tuple[int, int]] = ()
        self._width = width
        self._every = width / 2 if every is None else every
        self._kept = Samples.none()  # in the order of time
        self._came: list[Samples] = []  # since then
        self._latest = np.empty(0)  # a location
        self._origin = inf
        self._number = 0
        self._passed = -inf

    def add(self, samples: Samples) -> Iterator[Window]:
        """Take samples, in any order, and give the windows that are complete.

        Raises:
            InputError: Times have too few digits for windows of this width.
        """
        if self._number:
            timely = samples.times >= self._start(self._number) - self._slack(samples.times)
            self.late += int((~timely).sum())
            samples = samples.part(timely)
        if not len(samples.times):
            return
        if self._every < _DIGITS / _ROUNDINGS * self._slack(samples.times):
            raise InputError(
                f"times up to {np.abs(samples.times).max():.17g} s have too few digits for windows {self._every:g} s "
                f"apart; choose a wider window"
            )
        if not self._number:
            self._origin = min(self._origin, float(samples.times.min()))
        self._came.append(samples)
        self.locations = samples.locations
        unseen = len(self.locations) - len(self._latest)
        self._latest = np.append(self._latest, np.full(max(unseen, 0), -inf))
        np.maximum.at(self._latest, samples.places, samples.times)
        while self._complete() > self._end():
            yield from self._next(self._end())

    def finish(self) -> Iterator[Window]:
        """Give the windows that are left; the last one ends with the last sample, which is in it."""
        while len(times := self._gathered().times):
            last = float(times[-1])
            if self._number and self._cut(self._passed) == len(times):
                return
            if self._end() < last - self._slack(times):
                yield from self._next(self._end())
            else:
                yield from self._next(last, whole=True)
                return

    def _start(self, number: int) -> float:
        return self._origin + (number * self._every if number else 0.0)

    def _end(self) -> float:
        return self._start(self._number) + self._width

    def _back(self) -> float:
        """Give the time from which on samples are kept: the last window may begin before its turn."""
        return self._start(max(self._number - 1, 0))

    def _complete(self) -> float:
        """Give the time to which the trace is complete."""
        seen = self._latest[self._latest >= self._back()]
        return max(float(seen.min()), float(seen.max()) - self._width) if len(seen) else -inf

    def _slack(self, times: Values) -> float:
        """Give how much before its end a window ends, lest a sample at that time is in neither of two, or in both."""
        origin = abs(self._origin) if isfinite(self._origin) else 0.0
        return _ROUNDINGS * float(np.spacing(np.abs(times).max(initial=origin)))

    def _cut(self, time: float) -> int:
        """Give the place of the first sample at a time or after."""
        times = self._gathered().times
        return int(np.searchsorted(times, time - self._slack(times[[0, -1]])))

    def _gathered(self) -> Samples:
        """Put what came in its place among what is kept."""
        if self._came:
            kept = self._kept.with_more(*self._came)
            sorted_already = (kept.times[1:] >= kept.times[:-1]).all()
            self._kept = kept if sorted_already else kept.part(np.argsort(kept.times, kind="stable"))
            self._came = []
        return self._kept

    def _next(self, end: float, *, whole: bool = False) -> Iterator[Window]:
        kept = self._gathered()
        start = max(end - self._width, self._origin) if whole else self._start(self._number)
        first, behind = self._cut(start), len(kept.times) if whole else self._cut(end)
        if first < behind:
            passed = self._cut(self._passed) if self._number else first
            yield Window(start, end, kept.part(slice(first, behind)), behind - max(first, passed))
            self._number += 1
        else:
            ahead = float(kept.times[behind]) - self._origin - self._width
            number = max(self._number + 1, floor(ahead / self._every) + 1)
            self.empty += number - self._number
            self._number = number
        self._passed = end
        self._kept = kept.part(slice(self._cut(self._back()), None))


def smoothed(samples: Samples, parts: int = 1) -> tuple[list[Point], dict[str, Values]]:
    """Average the samples of each location, or of each part of them; NaN where all of a location are missing.

    Args:
        samples: In the order of time.
        parts: Into how many parts, of like size, the samples of a location and metric that are there are divided; fewer
            samples than parts stand for several.

    Returns:
        Points, which a part's number tells apart, and ``float64[point]`` a metric.
    """
    order = np.argsort(samples.places, kind="stable")
    places, values = samples.places[order], samples.values[order]
    seen = places[np.flatnonzero(np.diff(places, prepend=-1))].tolist()
    locations = [samples.locations[place] for place in seen]
    points = [Point(process, thread, part) for process, thread in locations for part in range(parts)]
    means = [_means(np.searchsorted(seen, places), column, len(seen), parts) for column in values.T]
    return points, dict(zip(samples.metrics, means, strict=True))


def _means(locations: Indices, column: Values, count: int, parts: int) -> Values:
    there = ~np.isnan(column)
    locations, column = locations[there], column[there]
    size = float(np.abs(column).max(initial=0.0)) or 1.0  # no sum of huge values overflows
    many = np.bincount(locations, minlength=count)[:, None]
    start = np.cumsum(many)[:, None] - many
    part = np.arange(parts)
    first = part * many // parts
    behind = np.maximum(first + 1, (part + 1) * many // parts)
    edges = np.stack([start + first, start + behind], axis=-1)[many[:, 0] > 0].ravel()
    means = np.full((count, parts), np.nan)
    if len(edges):
        sums = np.add.reduceat(np.append(column / size, 0.0), edges)[::2].reshape(-1, parts)
        means[many[:, 0] > 0] = sums / (behind - first)[many[:, 0] > 0] * size
    return means.ravel()
